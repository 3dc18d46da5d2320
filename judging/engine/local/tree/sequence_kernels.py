"""Attention of many sequences of different lengths, which stand end to end in one row, by one call of a kernel.

As with other kernels (`attention_kernels.py`) it is used for heads of a shape only after it was run beside plain
operations in float32, on the device at hand, and gave the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise

import torch
from torch import Tensor

from judging.engine.local.tensors import sent
from judging.engine.local.tree.attention_kernels import Heads, filled, heads_of, largest_difference, why_refused
from judging.engine.local.tree.attention_parts import Part, Scoring, no_later, plain_part

_CAUSAL = (37, 1, 203, 64, 130)  # tokens of sequences that a kernel is tried on
_QUERIES, _KEYS = (37, 1, 203, 1, 130, 2), (5, 301, 70, 1, 129, 64)


@dataclass(frozen=True, slots=True)
class Ends:
    """offsets: where each sequence begins, and where the last ends, int32 (sequences + 1,). longest: its tokens."""

    offsets: Tensor
    longest: int


@dataclass(frozen=True, slots=True)
class SequenceKernel:
    """run: query, key, value, each (tokens, heads, width), the ends of the queries' sequences and of the keys', scale,
    and whether a token sees only those before it. No sequence is empty.
    """

    name: str
    run: Callable[[Tensor, Tensor, Tensor, Ends, Ends, float, bool], Part]


@dataclass(frozen=True, slots=True)
class SequenceChoice:
    """kernel: None where the device has none, or it was refused. refused: why; else empty."""

    kernel: SequenceKernel | None
    refused: str = ""


def ends_of(lengths: Sequence[int], device: torch.device) -> Ends:
    """Of sequences of so many tokens each."""
    offsets = torch.tensor([0, *accumulate(lengths)], dtype=torch.int32)
    return Ends(sent(offsets, device), max(lengths))


def sequence_choice(query: Tensor, key: Tensor, value: Tensor) -> SequenceChoice:
    """For states that are (batch, heads, tokens, width)."""
    return _chosen(heads_of(query, key)) if query.shape[-1] == value.shape[-1] else SequenceChoice(None)


@cache
def _chosen(heads: Heads) -> SequenceChoice:
    is_offered = heads.device.type == "cuda" and heads.dtype != torch.float32
    return choose_for_sequences(heads, FLASH) if is_offered else SequenceChoice(None)


def choose_for_sequences(heads: Heads, kernel: SequenceKernel) -> SequenceChoice:
    """A kernel if it computes on the device what plain operations in float32 compute."""
    refused = why_refused(kernel.name, lambda: _difference(kernel, heads), heads.dtype)
    return SequenceChoice(None, refused) if refused else SequenceChoice(kernel)


@torch.inference_mode()
def _difference(kernel: SequenceKernel, heads: Heads) -> float:
    return largest_difference(
        pair
        for queries, keys, causal in ((_CAUSAL, _CAUSAL, True), (_QUERIES, _KEYS, False))
        for pair in _found_and_expected(kernel, heads, queries, keys, causal)
    )


def _found_and_expected(
    kernel: SequenceKernel, heads: Heads, queries: Sequence[int], keys: Sequence[int], causal: bool
) -> list[tuple[Tensor, Tensor]]:
    """Means and normalisers, from all sequences together and from each alone."""
    rng = torch.Generator().manual_seed(0)

    def states(tokens: int, number: int) -> Tensor:
        return torch.randn(tokens, number, heads.width, generator=rng).to(heads.device, heads.dtype)

    query, key, value = (
        states(sum(lengths), number)
        for lengths, number in ((queries, heads.queries), (keys, heads.keys), (keys, heads.keys))
    )
    asking, seen, scale = ends_of(queries, heads.device), ends_of(keys, heads.device), heads.width**-0.5
    found = kernel.run(query, key, value, asking, seen, scale, causal)
    expected = plain_sequences(query.float(), key.float(), value.float(), asking, seen, scale, causal)
    return [(found.out, expected.out), (found.weight, expected.weight)]


def plain_sequences(
    query: Tensor, key: Tensor, value: Tensor, queries: Ends, keys: Ends, scale: float, causal: bool
) -> Part:
    """What a kernel gives, sequence by sequence in plain operations."""
    parts = []
    for asking, seen in zip(pairwise(queries.offsets.tolist()), pairwise(keys.offsets.tolist()), strict=True):
        own = query[slice(*asking)].transpose(0, 1)[None]
        its_keys, its_values = (states[slice(*seen)].transpose(0, 1)[None] for states in (key, value))
        allowed = no_later(own.shape[2], window=None, device=own.device) if causal else None
        parts.append(plain_part(own, its_keys, its_values, Scoring(scale), allowed=allowed))
    return Part(torch.cat([part.out for part in parts], 2), torch.cat([part.weight for part in parts], 2))


def _flash(query: Tensor, key: Tensor, value: Tensor, queries: Ends, keys: Ends, scale: float, causal: bool) -> Part:
    """Heads that share keys are told apart by the kernel; its normalisers are (heads, tokens)."""
    width, (query, key, value) = query.shape[-1], filled(query, key, value)
    longest = max(queries.longest, 2)  # where each sequence has one query, it lays out its results otherwise
    out, weight, *_ = torch.ops.aten._flash_attention_forward(
        query, key, value, queries.offsets, keys.offsets, longest, keys.longest, 0.0, causal, False, scale=scale
    )
    return Part(out[..., :width].transpose(0, 1)[None], weight[None])


FLASH = SequenceKernel("flash attention of sequences", _flash)
