"""What transformers spells out in several operations, as the one of torch that computes the same."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.functional import rms_norm
from transformers import PreTrainedModel
from transformers.activations import NewGELUActivation

_NORM_CLASSES = ("RMSNorm", "T5LayerNorm")  # how their names end
_LARGEST_ROUNDING = {torch.float32: 1e-5, torch.float16: 4e-3, torch.bfloat16: 2e-2}  # as a part of each number


def in_one_pass(model: PreTrainedModel) -> None:
    """On a CPU torch spells a norm out itself."""
    activate_in_one_pass(model)
    if model.device.type == "cuda":
        normalise_in_one_pass(model)


def activate_in_one_pass(model: PreTrainedModel) -> None:
    """The same function as one operation of torch, where transformers spells it out in seven."""
    for module in list(model.modules()):
        for name, child in list(module.named_children()):
            if type(child) is NewGELUActivation:
                setattr(module, name, nn.GELU(approximate="tanh"))


def normalise_in_one_pass(model: PreTrainedModel) -> None:
    """Divides by the root of the mean square in one operation instead of six, each a way through a GPU's memory.

    Only where a module was seen to compute just that: some add one to their weights.
    """
    for module in list(model.modules()):
        for name, child in list(module.named_children()):
            if type(child).__name__.endswith(_NORM_CLASSES) and (norm := _in_one(child)) is not None:
                setattr(module, name, norm)


@torch.inference_mode()
def _in_one(module: nn.Module) -> nn.RMSNorm | None:
    weight, eps = getattr(module, "weight", None), getattr(module, "variance_epsilon", getattr(module, "eps", None))
    if not isinstance(weight, nn.Parameter) or not isinstance(eps, float):
        return None
    drawn = torch.randn(16, len(weight), generator=torch.Generator().manual_seed(0))
    states = (3 * drawn).to(weight.device, weight.dtype)
    if not _are_near(rms_norm(states, weight.shape, weight, eps), module(states)):
        return None
    norm = nn.RMSNorm(weight.shape, eps=eps, device="meta")
    norm.weight = weight
    return norm


def _are_near(found: Tensor, expected: Tensor) -> bool:
    """But for rounding, which these two do at different steps."""
    if found.shape != expected.shape or found.dtype != expected.dtype:
        return False
    difference = (found.float() - expected.float()).abs()
    return bool((difference <= _LARGEST_ROUNDING[expected.dtype] * expected.float().abs()).all())
