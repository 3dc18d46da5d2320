"""Attention to one part of what a token sees, by torch's own kernels where they give its normalisers.

These kernels are not public, and each takes what it takes: so one is used for heads of a shape only after it was run
beside plain operations in float32, on the device at hand, and gave the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial

import torch
from torch import Tensor
from torch.nn.functional import pad

from judging.engine.local.cpu_matmul import multiplying_small
from judging.engine.local.tensors import is_out_of_memory
from judging.engine.local.tree.attention_parts import Part, Scoring, no_later, plain_part, repeated

# Of means of values around 1 and of the logarithms of normalisers; one key too many or too few makes it ten times that.
LARGEST_DIFFERENCE = {torch.float32: 1e-4, torch.float16: 5e-3, torch.bfloat16: 3e-2}
_WIDTHS = 8  # a head's width is filled up to a multiple of it, as kernels of half precision ask
# Rows, queries, keys: shorter and longer than the blocks that kernels go by; some treat one query apart.
_TRIED = ((3, 37, 37), (2, 203, 203), (2, 1, 1), (1, 70, 301), (1, 301, 70), (2, 1, 40))


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


def why_slower(query: Tensor, key: Tensor, value: Tensor) -> str:
    """What is attended by instead of kernels that were tried for such heads in vain, and why these were; else empty."""
    choice = _choice_for(query, key, value)
    used = f"by {choice.kernel.name}" if choice.kernel else "in plain operations"
    return f"attention {used}: {choice.refused}" if choice.refused else ""


def _kernel(query: Tensor, key: Tensor, value: Tensor, scoring: Scoring) -> Kernel | None:
    return _choice_for(query, key, value).kernel if scoring.softcap is None else None


def _choice_for(query: Tensor, key: Tensor, value: Tensor) -> Choice:
    return _chosen(heads_of(query, key)) if query.shape[-1] == value.shape[-1] else Choice(None)


def heads_of(query: Tensor, key: Tensor) -> Heads:
    """Of states that are (batch, heads, tokens, width)."""
    return Heads(query.device, query.dtype, query.shape[1], key.shape[1], query.shape[-1])


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
    refused: list[str] = []
    for kernel in offered:
        reason = why_refused(kernel.name, partial(_difference, kernel, heads), heads.dtype)
        if not reason:
            return Choice(kernel, "; ".join(refused))
        refused.append(reason)
    return Choice(None, "; ".join(refused))


def why_refused(name: str, difference: Callable[[], float], dtype: torch.dtype) -> str:
    """Why a kernel is not used; empty if it is. difference: of what it computes; raises where it cannot be run."""
    try:
        found = difference()
    except (RuntimeError, AttributeError, TypeError) as error:  # not there, not for this device, not for such heads
        if is_out_of_memory(error):
            raise
        return f"{name}: {str(error).partition(chr(10))[0]}"
    return "" if found <= LARGEST_DIFFERENCE[dtype] else f"{name}: results differ by {found:.2g}"


@torch.inference_mode()
def _difference(kernel: Kernel, heads: Heads) -> float:
    """Over several rows of their own, and over rows that see other keys than their own."""
    return largest_difference(pair for sizes in _TRIED for pair in _found_and_expected(kernel, heads, *sizes))


def _found_and_expected(
    kernel: Kernel, heads: Heads, rows: int, queries: int, keys: int
) -> list[tuple[Tensor, Tensor]]:
    rng = torch.Generator().manual_seed(0)

    def states(tokens: int, number: int) -> Tensor:  # laid out as a model does: all heads of a token together
        drawn = torch.randn(rows, tokens, number, heads.width, generator=rng)
        return drawn.to(heads.device, heads.dtype).transpose(1, 2)

    query, key, value = states(queries, heads.queries), states(keys, heads.keys), states(keys, heads.keys)
    scale, causal = heads.width**-0.5, queries == keys
    found = kernel.run(query, key, value, scale, causal, None)
    allowed = no_later(queries, window=None, device=heads.device) if causal else None
    expected = plain_part(query.float(), key.float(), value.float(), Scoring(scale), allowed=allowed)
    return [(found.out, expected.out), (found.weight, expected.weight)]


def largest_difference(pairs: Iterable[tuple[Tensor, Tensor]]) -> float:
    """Of numbers found from those expected; infinite where one is none. Raises RuntimeError if their shapes differ."""
    return max((_difference_of(found, expected) for found, expected in pairs), default=0.0)


def _difference_of(found: Tensor, expected: Tensor) -> float:
    if found.shape != expected.shape:
        raise RuntimeError(f"gives {tuple(found.shape)} numbers instead of {tuple(expected.shape)}")
    difference = float((found - expected).abs().max())
    return math.inf if math.isnan(difference) else difference


def _on_cpu(query: Tensor, key: Tensor, value: Tensor, scale: float, causal: bool, mask: Tensor | None) -> Part:
    with multiplying_small():
        out, weight = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(
            query, key, value, 0.0, causal, attn_mask=mask, scale=scale
        )
    return Part(out, weight)


def _flash(query: Tensor, key: Tensor, value: Tensor, scale: float, causal: bool, mask: Tensor | None) -> Part:
    """Heads that share keys are told apart by the kernel."""
    width, (query, key, value) = query.shape[-1], filled(query, key, value)
    out, weight, *_ = torch.ops.aten._scaled_dot_product_flash_attention(query, key, value, 0.0, causal, scale=scale)
    return Part(out[..., :width], weight)


def _efficient(query: Tensor, key: Tensor, value: Tensor, scale: float, causal: bool, mask: Tensor | None) -> Part:
    """Its normalisers are filled up to a multiple of 32 queries."""
    heads, width, tokens = query.shape[1] // key.shape[1], query.shape[-1], query.shape[2]
    query, key, value = filled(query, repeated(key, heads), repeated(value, heads))
    out, weight, *_ = torch.ops.aten._scaled_dot_product_efficient_attention(
        query, key, value, None, True, 0.0, causal, scale=scale
    )
    return Part(out[..., :width], weight[..., :tokens])


def filled(*states: Tensor) -> list[Tensor]:
    """Heads as wide as kernels take them; nothing is added to a product."""
    missing = -states[0].shape[-1] % _WIDTHS
    return [pad(one, (0, missing)) for one in states] if missing else list(states)


def _added(allowed: Tensor, dtype: torch.dtype) -> Tensor:
    return torch.zeros_like(allowed, dtype=dtype).masked_fill(~allowed, -math.inf)
