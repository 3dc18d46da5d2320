import pytest
import torch
from torch.nn.functional import linear
from transformers import LlamaConfig, LlamaForCausalLM

from evenhand.engine.local import cpu_matmul
from evenhand.engine.local.cpu_matmul import choose_products, multiplying_by
from evenhand.engine.local.decoder_only import CausalModel
from evenhand.engine.questions.label_tokens import LabelledPrompt
from evenhand.engine.settings import MEASURED, ONEDNN, TORCH

needs_switch = pytest.mark.skipif(not cpu_matmul._has_switch(), reason="this torch has no such switch")


@pytest.fixture(scope="module")
def model():
    """Just large enough that a choice is made."""
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=50,
        hidden_size=256,
        intermediate_size=320,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=2,
    )
    return LlamaForCausalLM(config).eval()


def switch():
    return torch.backends.mkldnn.matmul.fp32_precision


def rounding_to_bfloat16(monkeypatch):
    """Round to bfloat16, like oneDNN on a processor with units for that."""

    def product(states, weight):
        if switch() == "bf16":
            states, weight = states.bfloat16().float(), weight.bfloat16().float()
        return linear(states, weight)

    monkeypatch.setattr(cpu_matmul, "linear", product)


@needs_switch
def test_answers_by_either_library_are_equal(model):
    prompts = [LabelledPrompt((), tuple(range(3, 3 + n)), (7,), (8,)) for n in (4, 30)]

    one, other = (CausalModel(model, products=name).score(prompts).values for name in (TORCH, ONEDNN))

    assert other == [pytest.approx(two, abs=1e-5) for two in one]


@needs_switch
def test_switch_is_restored():
    before = switch()

    with multiplying_by(ONEDNN):
        within = switch()

    assert (within, switch()) == ("bf16", before)


@needs_switch
def test_the_faster_library_is_chosen(model, monkeypatch):
    monkeypatch.setattr(cpu_matmul, "_error", lambda weight, rows: 0.0)

    chosen = []
    for seconds in ({TORCH: 2.0, ONEDNN: 1.0}, {TORCH: 1.0, ONEDNN: 0.9}):
        monkeypatch.setattr(cpu_matmul, "_seconds", lambda weight, name, seconds=seconds: seconds[name])
        chosen.append(choose_products(model))

    assert chosen == [ONEDNN, TORCH]


@needs_switch
@pytest.mark.parametrize("wanted", [MEASURED, ONEDNN])
def test_library_that_rounds_is_refused_even_if_requested(model, monkeypatch, wanted):
    monkeypatch.setattr(cpu_matmul, "_seconds", lambda weight, name: 1.0 if name == ONEDNN else 9.0)
    rounding_to_bfloat16(monkeypatch)

    assert choose_products(model, wanted) == TORCH


def test_requested_library_is_used_without_measuring(model, monkeypatch):
    monkeypatch.setattr(cpu_matmul, "_seconds", None)

    assert choose_products(model, TORCH) == TORCH


def test_smaller_dtypes_have_no_choice(model):
    weights = LlamaForCausalLM(model.config).to(torch.bfloat16)

    assert choose_products(weights, ONEDNN) == TORCH
