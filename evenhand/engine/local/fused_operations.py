"""Replace sequences of operations in a model by single operations of torch that compute the same."""

import torch
from torch import Tensor, nn
from torch.nn.functional import rms_norm
from transformers import PreTrainedModel
from transformers.activations import NewGELUActivation

_NORM_CLASSES = ("RMSNorm", "T5LayerNorm")  # suffixes of class names
_LARGEST_ROUNDING = {torch.float32: 1e-5, torch.float16: 4e-3, torch.bfloat16: 2e-2}  # relative to each number


def fuse_operations(model: PreTrainedModel) -> None:
    """Fuse activations, and norms on a GPU. On a CPU torch has no fused norm."""
    fuse_activations(model)
    if model.device.type == "cuda":
        fuse_norms(model)


def fuse_activations(model: PreTrainedModel) -> None:
    """Replace the GELU of seven operations by one operation of torch."""
    for parent, name, child in _children(model):
        if type(child) is NewGELUActivation:
            setattr(parent, name, nn.GELU(approximate="tanh"))


def fuse_norms(model: PreTrainedModel) -> None:
    """Replace RMS norms of six operations by one, which reads and writes GPU memory once.

    Each module is tried first, because some compute something else, such as adding one to their weights.
    """
    for parent, name, child in _children(model):
        if type(child).__name__.endswith(_NORM_CLASSES) and (norm := _fused_norm(child)) is not None:
            setattr(parent, name, norm)


def _children(model: PreTrainedModel) -> list[tuple[nn.Module, str, nn.Module]]:
    return [(parent, name, child) for parent in model.modules() for name, child in parent.named_children()]


@torch.inference_mode()
def _fused_norm(module: nn.Module) -> nn.RMSNorm | None:
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


def _are_near(fused: Tensor, expected: Tensor) -> bool:
    """Return True if both are equal up to rounding, which they do at different steps."""
    if fused.shape != expected.shape or fused.dtype != expected.dtype:
        return False
    difference = (fused.float() - expected.float()).abs()
    return bool((difference <= _LARGEST_ROUNDING[expected.dtype] * expected.float().abs()).all())
