"""Attention to one part of the keys, by fused kernels of torch that also return the softmax normalisers.

These kernels are not public, and support different head shapes. So a kernel is used for a head shape only after it
gave the same as plain operations in float32 on the same device.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Generic, Protocol, TypeVar

import torch
from torch import Tensor
from torch.nn.functional import pad

from evenhand.engine.local.cpu_matmul import multiplying_small
from evenhand.engine.local.model.model_traits import largest
from evenhand.engine.local.token_budgets import is_out_of_memory
from evenhand.engine.local.tree.attention_parts import (
    AttentionPart,
    Scoring,
    causal_mask,
    plain_attention_part,
    repeated,
)

# Largest difference of means of values around 1, and of log normalisers, from the plain computation. A kernel that
# reads one key too many or too few differs ten times more.
LARGEST_KERNEL_DIFFERENCE = {torch.float32: 1e-4, torch.float16: 5e-3, torch.bfloat16: 3e-2}
_WIDTHS = 8  # kernels of half precision take heads of a multiple of this width
# Rows, queries, keys: shorter and longer than the blocks of kernels. Some kernels have a path for one query.
_TRIED = ((3, 37, 37), (2, 203, 203), (2, 1, 1), (1, 70, 301), (1, 301, 70), (2, 1, 40))


@dataclass(frozen=True, slots=True)
class HeadShape:
    """The shape that a kernel is chosen for. queries, keys: numbers of heads. width: of a head and of its values."""

    device: torch.device
    dtype: torch.dtype
    queries: int
    keys: int
    width: int


class TriedKernel(Protocol):
    """A kernel that can be compared with plain operations in float32."""

    @property
    def name(self) -> str: ...

    def difference(self, heads: HeadShape) -> float:
        """Return the largest difference of its results from plain operations; NaN if one is NaN.

        Raises RuntimeError, AttributeError or TypeError if it cannot run with such heads on this device.
        """


KernelT = TypeVar("KernelT", bound=TriedKernel)


@dataclass(frozen=True, slots=True)
class KernelChoice(Generic[KernelT]):
    """The kernel for a head shape. kernel: None for plain operations. refused: faster kernels and why they failed."""

    kernel: KernelT | None
    refused: str = ""


@dataclass(frozen=True, slots=True)
class AttentionKernel:
    """A fused attention kernel.

    run: takes query, key, value, scale, causal, and a mask that is added to the scores.
    masks: it takes masks, under which each query sees at least one key.
    """

    name: str
    run: Callable[[Tensor, Tensor, Tensor, float, bool, Tensor | None], AttentionPart]
    masks: bool = False

    @torch.inference_mode()
    def difference(self, heads: HeadShape) -> float:
        """Compare causal rows, and rows with other keys."""
        return largest([self._difference(heads, *sizes) for sizes in _TRIED])

    def _difference(self, heads: HeadShape, rows: int, queries: int, keys: int) -> Tensor:
        rng = torch.Generator().manual_seed(0)

        def states(tokens: int, number: int) -> Tensor:  # in a model's memory layout: all heads of a token together
            drawn = torch.randn(rows, tokens, number, heads.width, generator=rng)
            return drawn.to(heads.device, heads.dtype).transpose(1, 2)

        query, key, value = states(queries, heads.queries), states(keys, heads.keys), states(keys, heads.keys)
        scale, causal = heads.width**-0.5, queries == keys
        computed = self.run(query, key, value, scale, causal, None)
        allowed = causal_mask(queries, window=None, device=heads.device) if causal else None
        plain = plain_attention_part(query.float(), key.float(), value.float(), Scoring(scale), allowed=allowed)
        return part_difference(computed, plain)


def causal_part(query: Tensor, key: Tensor, value: Tensor, scoring: Scoring) -> AttentionPart:
    """Attend from every token to itself and to the earlier tokens of its row."""
    tokens = query.shape[2]
    kernel = _kernel(query, key, value, scoring)
    if kernel and (scoring.window is None or tokens <= scoring.window):
        return kernel.run(query, key, value, scoring.scale, True, None)
    allowed = causal_mask(tokens, window=scoring.window, device=query.device)
    return plain_attention_part(query, key, value, scoring, allowed=allowed)


def attend_part(
    query: Tensor, key: Tensor, value: Tensor, scoring: Scoring, *, allowed: Tensor | None
) -> AttentionPart:
    """Attend from every query to every key, or to the allowed ones: bool (queries, keys), or with batch and heads."""
    kernel = _kernel(query, key, value, scoring)
    if kernel and (allowed is None or (kernel.masks and allowed.dim() == 4)):
        mask = None
        if allowed is not None:
            mask = torch.zeros_like(allowed, dtype=query.dtype).masked_fill(~allowed, -math.inf)
        return kernel.run(query, key, value, scoring.scale, False, mask)
    return plain_attention_part(query, key, value, scoring, allowed=allowed)


def slower_kernels(query: Tensor, key: Tensor, value: Tensor) -> str:
    """Return the kernel in use and why faster ones were refused for such heads; empty if none was refused."""
    choice = _choice_for(query, key, value)
    used = f"by {choice.kernel.name}" if choice.kernel else "in plain operations"
    return f"attention {used}: {choice.refused}" if choice.refused else ""


def _kernel(query: Tensor, key: Tensor, value: Tensor, scoring: Scoring) -> AttentionKernel | None:
    return _choice_for(query, key, value).kernel if scoring.softcap is None else None


def _choice_for(query: Tensor, key: Tensor, value: Tensor) -> KernelChoice[AttentionKernel]:
    return _chosen(head_shape(query, key)) if query.shape[-1] == value.shape[-1] else KernelChoice(None)


def head_shape(query: Tensor, key: Tensor) -> HeadShape:
    """Return the head shape of states, (batch, heads, tokens, width)."""
    return HeadShape(query.device, query.dtype, query.shape[1], key.shape[1], query.shape[-1])


@cache
def _chosen(heads: HeadShape) -> KernelChoice[AttentionKernel]:
    return choose_kernel(heads, kernels(heads))


def kernels(heads: HeadShape) -> Sequence[AttentionKernel]:
    """Return the kernels of torch for a device and a dtype, the fastest first."""
    if heads.device.type == "cpu":
        return [AttentionKernel("flash attention of the CPU", _on_cpu, masks=True)]
    if heads.device.type != "cuda":
        return []
    efficient = AttentionKernel("memory-efficient attention", _efficient)
    return [efficient] if heads.dtype == torch.float32 else [AttentionKernel("flash attention", _flash), efficient]


def choose_kernel(heads: HeadShape, offered: Sequence[KernelT]) -> KernelChoice[KernelT]:
    """Return the first kernel that agrees with plain operations in float32 on the device."""
    refused: list[str] = []
    for kernel in offered:
        reason = _refusal(kernel, heads)
        if not reason:
            return KernelChoice(kernel, "; ".join(refused))
        refused.append(reason)
    return KernelChoice(None, "; ".join(refused))


def _refusal(kernel: TriedKernel, heads: HeadShape) -> str:
    try:
        difference = kernel.difference(heads)
    except (RuntimeError, AttributeError, TypeError) as error:  # absent, or not for this device or these heads
        if is_out_of_memory(error):
            raise
        return f"{kernel.name}: {str(error).partition(chr(10))[0]}"
    agrees = difference <= LARGEST_KERNEL_DIFFERENCE[heads.dtype]
    return "" if agrees else f"{kernel.name}: results differ by {difference:.2g}"


def part_difference(one: AttentionPart, other: AttentionPart) -> Tensor:
    """Return the largest difference of two results; NaN if one is NaN. Raises RuntimeError if shapes differ."""
    pairs = ((one.out, other.out), (one.weight, other.weight))
    for first, second in pairs:
        if first.shape != second.shape:
            raise RuntimeError(f"gives {tuple(first.shape)} numbers instead of {tuple(second.shape)}")
    return torch.stack([(first - second).abs().max() for first, second in pairs]).max()


def _on_cpu(
    query: Tensor, key: Tensor, value: Tensor, scale: float, causal: bool, mask: Tensor | None
) -> AttentionPart:
    with multiplying_small():
        out, weight = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(
            query, key, value, 0.0, causal, attn_mask=mask, scale=scale
        )
    return AttentionPart(out, weight)


def _flash(query: Tensor, key: Tensor, value: Tensor, scale: float, causal: bool, mask: Tensor | None) -> AttentionPart:
    """Run flash attention, which supports heads that share keys."""
    width, (query, key, value) = query.shape[-1], pad_heads(query, key, value)
    out, weight, *_ = torch.ops.aten._scaled_dot_product_flash_attention(query, key, value, 0.0, causal, scale=scale)
    return AttentionPart(out[..., :width], weight)


def _efficient(
    query: Tensor, key: Tensor, value: Tensor, scale: float, causal: bool, mask: Tensor | None
) -> AttentionPart:
    """Drop the padding of its normalisers, which are filled up to a multiple of 32 queries."""
    heads, width, tokens = query.shape[1] // key.shape[1], query.shape[-1], query.shape[2]
    query, key, value = pad_heads(query, repeated(key, heads), repeated(value, heads))
    out, weight, *_ = torch.ops.aten._scaled_dot_product_efficient_attention(
        query, key, value, None, True, 0.0, causal, scale=scale
    )
    return AttentionPart(out[..., :width], weight[..., :tokens])


def pad_heads(*states: Tensor) -> list[Tensor]:
    """Pad heads with zeros to a width that kernels support. Products do not change."""
    missing = -states[0].shape[-1] % _WIDTHS
    return [pad(one, (0, missing)) for one in states] if missing else list(states)
