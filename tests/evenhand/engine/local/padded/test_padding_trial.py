import pytest
import torch
from transformers import BertConfig, BertLMHeadModel, LlamaConfig, LlamaForCausalLM

from evenhand.engine.local.padded import padded_scorer
from evenhand.engine.local.padded.padded_scorer import (
    ReadsBothWays,
    alone_is_faster,
    padding_problem,
    require_left_to_right,
)
from tests.evenhand.engine.tiny_models import HYBRID, OWN_ATTENTION, build_family, build_model

VOCABULARY = 50
DTYPES = [torch.float32, torch.bfloat16, torch.float16]
SMALL = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}


@pytest.mark.parametrize(
    ("kind", "dtype"),
    [*((kind, torch.bfloat16) for kind in (*HYBRID, *OWN_ATTENTION)), *(("jamba", dtype) for dtype in DTYPES[::2])],
    ids=str,
)
def test_padding_changes_nothing_for_a_model_that_reads_from_left_to_right(kind, dtype):
    model = build_family(kind, VOCABULARY).to(dtype)

    require_left_to_right(model)

    assert padding_problem(model) == ""


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_model_that_sees_later_tokens_is_refused(dtype):
    model = BertLMHeadModel(BertConfig(vocab_size=VOCABULARY, **SMALL)).eval().to(dtype)

    with pytest.raises(ReadsBothWays, match="its attention sees later tokens"):
        require_left_to_right(model)


def test_model_without_numbers_is_not_refused():
    model = build_model("llama", VOCABULARY)
    with torch.no_grad():
        model.lm_head.weight.fill_(torch.nan)

    require_left_to_right(model)


def test_padding_problem_names_a_rotation_that_depends_on_the_length():
    rotation = {"rope_type": "dynamic", "factor": 2.0, "rope_theta": 10_000.0}
    model = LlamaForCausalLM(LlamaConfig(vocab_size=VOCABULARY, **SMALL, rope_parameters=rotation)).eval()

    assert padding_problem(model) == "its positions depend on the longest prompt of a batch"


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_padding_problem_sees_what_padding_changes(dtype):
    def add_the_mean(module, given, made):
        return made + 0.05 * made.mean(1, keepdim=True)

    model = build_model("llama", VOCABULARY).to(dtype)
    model.model.layers[0].mlp.register_forward_hook(add_the_mean)

    assert padding_problem(model) == "padding would change its answers"


@pytest.mark.parametrize(("slower", "expected"), [(5.0, True), (0.9, False)])
def test_alone_is_faster_where_a_batch_takes_longer_than_its_rows(slower, expected, monkeypatch):
    def seconds(model, batches):
        return slower if len(batches) == 1 else 1.0

    monkeypatch.setattr(padded_scorer, "_seconds", seconds)

    assert alone_is_faster(build_model("llama", VOCABULARY)) is expected
