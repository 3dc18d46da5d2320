import pytest
import torch
from torch import nn

from evenhand.engine.local.fused_operations import fuse_norms, fuse_operations
from tests.evenhand.engine.tiny_models import build_model

IDS = torch.arange(3, 23)[None]


def norms(model):
    return [module for module in model.modules() if type(module).__name__.endswith("Norm")]


@torch.inference_mode()
def logprobs(model):
    given = {"decoder_input_ids": IDS} if model.config.is_encoder_decoder else {}
    return model(input_ids=IDS, use_cache=False, **given).logits.float().log_softmax(-1)


@pytest.mark.parametrize(("dtype", "nearness"), [(torch.float32, 1e-5), (torch.bfloat16, 0.1)])
@pytest.mark.parametrize("kind", ["llama", "qwen2", "t5"])
def test_norms_in_one_pass_give_the_same(kind, dtype, nearness):
    model = build_model(kind, 50).to(dtype)
    expected = logprobs(model)

    fuse_norms(model)

    assert {type(norm) for norm in norms(model)} == {nn.RMSNorm}
    assert float((logprobs(model) - expected).abs().mean()) < nearness


def test_norms_that_compute_something_else_stay():
    model = build_model("gemma2", 50)
    before = norms(model)

    fuse_norms(model)

    assert norms(model) == before


def test_norms_stay_on_a_cpu():
    model = build_model("llama", 50)

    fuse_operations(model)

    assert nn.RMSNorm not in {type(norm) for norm in norms(model)}
