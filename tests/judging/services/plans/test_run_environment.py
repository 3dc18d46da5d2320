"""Fields of an engine that must stay the same within a run."""

import json
from dataclasses import asdict, fields, replace

import pytest

from evenhand.engine import Batching, EngineDescription
from judging.services.plans.run_spec import environment_differences

BEGAN = EngineDescription(
    backend="transformers",
    family="decoder-only",
    architecture="LlamaForCausalLM",
    model="some/model",
    revision="abc",
    dtype="float32",
    device="cuda:0",
    batching=Batching.TREE,
    torch="2.9",
)
OTHERS = {
    "architecture": "GPT2LMHeadModel",
    "revision": "def",
    "dtype": "bfloat16",
    "device": "cpu",
    "chat_template": True,
    "gives_probabilities": False,
    "top_logprobs": 20,
    "torch": "3.0",
    "transformers": "6.0",
    "thinking": "it thinks until </think>",
    "without_thinking": "enable_thinking=False in the chat template",
    "signature": "BLEU|version:1",
    "dialect": "vllm",
    "asked_by": "forced-choice",
    "forced_choice": '{"guided_choice": ["A", "B"]}',
}
MAY_DIFFER = {
    "backend": "openai",
    "family": "endpoint",
    "model": "a/copy",
    "device": "cuda:1",
    "max_prompt_tokens": 512,
    "batching": Batching.PADDED,
    "batching_note": "its attention goes by chunks",
    "products": "oneDNN",
    "threads": 8,
    "tokenizer": "123",
    "refused": {"seed": "Unsupported parameter"},
}


def noted(description):
    """Return a description as the database returns it."""
    return json.loads(json.dumps(asdict(description)))


@pytest.mark.parametrize(("field", "value"), OTHERS.items())
def test_engine_with_other_answers_may_not_continue_a_run(field, value):
    (difference,) = environment_differences(noted(BEGAN), replace(BEGAN, **{field: value}))

    assert difference.startswith(f"{field} is ")


@pytest.mark.parametrize(("field", "value"), MAY_DIFFER.items())
def test_engine_with_the_same_answers_may_continue_a_run(field, value):
    assert environment_differences(noted(BEGAN), replace(BEGAN, **{field: value})) == []


def test_every_field_of_a_description_is_known_to_change_answers_or_not():
    assert {field.name for field in fields(EngineDescription)} == OTHERS.keys() | MAY_DIFFER.keys()
