"""Attention to one part of what a token sees, by torch's own kernels where they give its normalisers.

These kernels are not public, and each takes what it takes: so one is used for heads of a shape only after it was run
beside plain operations in float32, on the device at hand, and gave the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor
from torch.nn.functional import pad

from judging.engine.attention_parts import Part, Scoring, no_later, plain_part, repeated
from judging.engine.products import multiplying_small

# Of means of values around 1 and of the logarithms of normalisers; one key too many or too few makes it ten times that.
LARGEST_DIFFERENCE = {torch.float32: 1e-4, torch.float16: 5e-3, torch.bfloat16: 3e-2}
_WIDTHS = 8  # a head's width is filled up to a multiple of it, as kernels of half precision ask
_TRIED = ((3, 37, 37), (2, 1, 1), (1, 70, 301), (2, 1, 40))  # rows, queries, keys; some kernels treat one query apart


@dataclass(frozen=True, slots=True)
class Heads:
    """What a kernel is chosen for. queries, keys: heads of each. width: of a head, and of its values."""

    device: torch.device
    dtype: torch.dtype
    queries: int
    keys: int
    width: int


@dataclass(frozen=True, slots=True)
class Kernel:
    """run: query, key, value, scale, whether a token sees only those before it, and a mask, added to the scores.

    masks: whether it takes one; each query then sees some key.
    """

    name: str
    run: Callable[[Tensor, Tensor, Tensor, float, bool, Tensor | None], Part]
    masks: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """kernel: None where attention takes plain operations. refused: what was tried in vain, and why; else empty."""

    kernel: Kernel | None
    refused: str = ""


def causal_part(query: Tensor, key: Tensor, value: Tensor, scoring: Scoring) -> Part:
    """Every token sees itself and those before it in its row."""
    tokens = query.shape[2]
    kernel = _kernel(query, key, value, scoring)
    if kernel and (scoring.window is None or tokens <= scoring.window):
        return kernel.run(query, key, value, scoring.scale, True, None)
    allowed = no_later(tokens, window=scoring.window, device=query.device)
    return plain_part(query, key, value, scoring, allowed=allowed)


def part(query: Tensor, key: Tensor, value: Tensor, scoring: Scoring, *, allowed: Tensor | None) -> Part:
    """Every query sees every key, or those that are allowed: bool (queries, keys), with or without batch and heads."""
    kernel = _kernel(query, key, value, scoring)
    if kernel and (allowed is None or (kernel.masks and allowed.dim() == 4)):
        mask = None if allowed is None else _added(allowed, query.dtype)
        return kernel.run(query, key, value, scoring.scale, False, mask)
    return plain_part(query, key, value, scoring, allowed=allowed)


def why_plain(query: Tensor, key: Tensor, value: Tensor) -> str:
    """Which kernels were tried for such heads in vain, and why; empty where one is used, or the device has none."""
    choice = _choice_for(query, key, value)
    return "" if choice.kernel else choice.refused


def _kernel(query: Tensor, key: Tensor, value: Tensor, scoring: Scoring) -> Kernel | None:
    return _choice_for(query, key, value).kernel if scoring.softcap is None else None


def _choice_for(query: Tensor, key: Tensor, value: Tensor) -> Choice:
    if query.shape[-1] != value.shape[-1]:
        return Choice(None)
    return _chosen(Heads(query.device, query.dtype, query.shape[1], key.shape[1], query.shape[-1]))


@cache
def _chosen(heads: Heads) -> Choice:
    return choose(heads, kernels(heads))


def kernels(heads: Heads) -> Sequence[Kernel]:
    """What torch has for a device and a dtype, the fastest first."""
    if heads.device.type == "cpu":
        return [Kernel("flash attention of the CPU", _on_cpu, masks=True)]
    if heads.device.type != "cuda":
        return []
    efficient = Kernel("memory-efficient attention", _efficient)
    return [efficient] if heads.dtype == torch.float32 else [Kernel("flash attention", _flash), efficient]


def choose(heads: Heads, offered: Sequence[Kernel]) -> Choice:
    """The first kernel that computes on the device what plain operations in float32 compute."""
    refused = []
    for kernel in offered:
        try:
            difference = _difference(kernel, heads)
        except torch.OutOfMemoryError:
            raise
        except (RuntimeError, AttributeError, TypeError) as error:  # not there, not for this device, not for such heads
            refused.append(f"{kernel.name}: {str(error).partition(chr(10))[0]}")
            continue
        if difference <= LARGEST_DIFFERENCE[heads.dtype]:
            return Choice(kernel, "; ".join(refused))
        refused.append(f"{kernel.name}: results differ by {difference:.2g}")
    return Choice(None, "; ".join(refused))


@torch.inference_mode()
def _difference(kernel: Kernel, heads: Heads) -> float:
    """The largest, over several rows of their own, and over rows that see more keys than they have queries."""
    return max((_difference_in(kernel, heads, *sizes) for sizes in _TRIED), key=_or_infinite)


def _difference_in(kernel: Kernel, heads: Heads, rows: int, queries: int, keys: int) -> float:
    rng = torch.Generator().manual_seed(0)

    def states(tokens: int, number: int) -> Tensor:  # laid out as a model does: all heads of a token together
        drawn = torch.randn(rows, tokens, number, heads.width, generator=rng)
        return drawn.to(heads.device, heads.dtype).transpose(1, 2)

    query, key, value = states(queries, heads.queries), states(keys, heads.keys), states(keys, heads.keys)
    scale, causal = heads.width**-0.5, queries == keys
    found = kernel.run(query, key, value, scale, causal, None)
    allowed = no_later(queries, window=None, device=heads.device) if causal else None
    expected = plain_part(query.float(), key.float(), value.float(), Scoring(scale), allowed=allowed)
    parts = [(found.out, expected.out), (found.weight, expected.weight)]
    return max((float((one - other).abs().max()) for one, other in parts), key=_or_infinite)


def _or_infinite(number: float) -> float:
    """Not a number counts as the largest."""
    return math.inf if math.isnan(number) else number


def _on_cpu(query: Tensor, key: Tensor, value: Tensor, scale: float, causal: bool, mask: Tensor | None) -> Part:
    with multiplying_small():
        out, weight = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(
            query, key, value, 0.0, causal, attn_mask=mask, scale=scale
        )
    return Part(out, weight)


def _flash(query: Tensor, key: Tensor, value: Tensor, scale: float, causal: bool, mask: Tensor | None) -> Part:
    """Heads that share keys are told apart by the kernel."""
    width, (query, key, value) = query.shape[-1], _filled(query, key, value)
    out, weight, *_ = torch.ops.aten._scaled_dot_product_flash_attention(query, key, value, 0.0, causal, scale=scale)
    return Part(out[..., :width], weight)


def _efficient(query: Tensor, key: Tensor, value: Tensor, scale: float, causal: bool, mask: Tensor | None) -> Part:
    """Its normalisers are filled up to a multiple of 32 queries."""
    heads, width, tokens = query.shape[1] // key.shape[1], query.shape[-1], query.shape[2]
    query, key, value = _filled(query, repeated(key, heads), repeated(value, heads))
    out, weight, *_ = torch.ops.aten._scaled_dot_product_efficient_attention(
        query, key, value, None, True, 0.0, causal, scale=scale
    )
    return Part(out[..., :width], weight[..., :tokens])


def _filled(*states: Tensor) -> list[Tensor]:
    """Heads as wide as kernels take them; nothing is added to a product."""
    missing = -states[0].shape[-1] % _WIDTHS
    return [pad(one, (0, missing)) for one in states] if missing else list(states)


def _added(allowed: Tensor, dtype: torch.dtype) -> Tensor:
    return torch.zeros_like(allowed, dtype=dtype).masked_fill(~allowed, -math.inf)
