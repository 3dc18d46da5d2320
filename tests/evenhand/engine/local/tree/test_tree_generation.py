from functools import cache

import pytest
import torch

from evenhand.engine.local.batching import TokenBudget
from evenhand.engine.local.decoder_only import CausalModel
from evenhand.engine.local.encoder_decoder import Seq2SeqModel
from evenhand.engine.local.token_choice import TokenChoice
from evenhand.engine.local.tree import attention_kernels
from evenhand.engine.local.tree.attention_kernels import KernelChoice
from evenhand.engine.local.tree.tree_generation import TreeWriter
from evenhand.engine.local.written_texts import RequestPrompt
from tests.evenhand.engine.tiny_models import build_family, build_model, raise_sinks

KINDS = ["llama", "mistral", "qwen2", "gemma2", "gpt2"]
VOCABULARY = 50
NEW_TOKENS = 12


def prompts_of_two_contexts():
    """Texts of two contexts, one of them twice and one the beginning of another, and one that shares nothing."""
    torch.manual_seed(3)
    one, other, *texts = (tuple(torch.randint(3, VOCABULARY, (n,)).tolist()) for n in (30, 25, 12, 9, 3, 20))
    prompts = [one + texts[0], one + texts[1], one + texts[2], one + texts[0], other + texts[1], other + texts[3]]
    return [*prompts, texts[1], one + texts[0] + texts[1]]


def one_at_a_time(model, prompt, *, ends=(2,)):
    """The likeliest token each time, by a pass over everything before it."""
    ids = list(prompt)
    with torch.inference_mode():
        while len(ids) < len(prompt) + NEW_TOKENS and (len(ids) == len(prompt) or ids[-1] not in ends):
            ids.append(int(model(input_ids=torch.tensor([ids])).logits[0, -1].argmax()))
    return tuple(ids[len(prompt) :])


@cache
def written_alone(kind):
    """The texts of a model after each prompt alone."""
    model = build_model(kind, VOCABULARY)
    return [one_at_a_time(model, prompt) for prompt in prompts_of_two_contexts()]


def requests_for(prompts):
    return [RequestPrompt(ids, NEW_TOKENS) for ids in prompts]


def writer(model, *, pack=4096, held=4096):
    return TreeWriter(model, pack_budget=TokenBudget(pack), budget=TokenBudget(held))


@pytest.mark.parametrize(
    ("kind", "pack", "held"),
    [*((kind, 4096, 4096) for kind in ("llama", "gemma2")), *((kind, 20, 100) for kind in KINDS)],
)
def test_texts_written_together_are_those_written_alone(kind, pack, held):
    requests = requests_for(prompts_of_two_contexts())

    written = writer(build_model(kind, VOCABULARY), pack=pack, held=held).write(requests)

    assert [text.ids for text in written] == written_alone(kind)


@pytest.mark.parametrize("kind", ["gpt_oss", "mimo_v2_flash"])
def test_texts_of_a_model_with_attention_sinks_are_those_written_alone(kind):
    model = build_family(kind, VOCABULARY, sharp=True)
    raise_sinks(model)
    prompts = prompts_of_two_contexts()

    written = writer(model).write(requests_for(prompts))

    assert [text.ids for text in written] == [one_at_a_time(model, prompt) for prompt in prompts]


def test_texts_are_the_same_where_attention_is_spelled_out(monkeypatch):
    monkeypatch.setattr(attention_kernels, "_chosen", lambda _: KernelChoice(None))

    written = writer(build_model("mistral", VOCABULARY)).write(requests_for(prompts_of_two_contexts()))

    assert [text.ids for text in written] == written_alone("mistral")


def test_a_text_that_ends_leaves_the_others_as_they_are():
    model = build_model("llama", VOCABULARY)
    prompts = prompts_of_two_contexts()
    ends = {written_alone("llama")[0][3], written_alone("llama")[4][7]}
    model.generation_config.eos_token_id = list(ends)

    written = writer(model).write(requests_for(prompts))

    expected = [one_at_a_time(model, prompt, ends=ends) for prompt in prompts]
    assert len(set(map(len, expected))) > 2
    assert [text.ids for text in written] == expected
    assert [text.complete for text in written] == [ids[-1] in ends for ids in expected]


def test_every_text_has_its_own_token_limit():
    model = build_model("qwen2", VOCABULARY)
    prompt = prompts_of_two_contexts()[0]
    longest = [5, 1, 9]

    written = writer(model).write([RequestPrompt(prompt, most) for most in longest])

    assert [text.ids for text in written] == [written_alone("qwen2")[0][:most] for most in longest]


def test_shared_beginning_is_computed_for_the_first_prompt():
    prompts = prompts_of_two_contexts()

    written = writer(build_model("gpt2", VOCABULARY)).write(requests_for(prompts))

    assert sum(text.shared for text in written) == 30 + 30 + 42 + 42 + 25
    assert [written[number].shared for number in (3, 6, 7)] == [42, 0, 42]  # asked before, alike with none, goes on


@pytest.mark.parametrize("kind", ["llama", "t5"])
def test_sampled_texts_depend_on_their_own_seeds_alone(kind):
    model = build_model(kind, VOCABULARY)
    whole = CausalModel(model) if kind == "llama" else Seq2SeqModel(model)
    requests = [RequestPrompt(ids, 8, 1.5, seed) for seed, ids in enumerate(prompts_of_two_contexts())]

    together = whole.write(requests)

    alone = [whole.write([request])[0] for request in requests]
    assert [text.ids for text in together] == [text.ids for text in alone]
    assert together[0].ids != together[3].ids  # of one prompt


def test_tokens_are_drawn_with_the_probabilities_of_the_model():
    requests = [RequestPrompt((), 1, 2.0, seed) for seed in range(4_000)]
    logits = torch.tensor([0.1, 0.2, 0.7]).pow(2).log()  # at temperature 2: 0.1, 0.2 and 0.7

    drawn = TokenChoice(requests, torch.device("cpu")).tokens(logits.expand(4_000, 3).clone(), range(4_000))

    assert [drawn.count(token) / 4_000 for token in range(3)] == pytest.approx([0.1, 0.2, 0.7], abs=0.03)


def test_writing_goes_on_with_fewer_texts_where_memory_runs_out():
    model = build_model("llama", VOCABULARY)
    prompts = prompts_of_two_contexts()
    model.register_forward_pre_hook(running_out(above=3), with_kwargs=True)

    written = writer(model, pack=1).write(requests_for([*prompts, (5,) * 60]))

    assert [text and text.ids for text in written] == [*written_alone("llama"), None]


def running_out(*, above):
    """A model that runs out of memory for more than a number of texts at once, and for a prompt of 60 tokens."""

    def check(module, inputs, named):
        tokens = named["input_ids"].numel()
        if tokens == 60 or (above < tokens < 9):
            raise torch.OutOfMemoryError

    return check
