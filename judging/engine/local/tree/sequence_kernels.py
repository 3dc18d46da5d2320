"""Attention of many sequences of different lengths, end to end in one row, by one kernel call.

Like other kernels (`attention_kernels.py`), it is used for a head shape only after it gave the same as plain operations
in float32 on the same device.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise

import torch
from torch import Tensor

from judging.engine.local.tensors import send
from judging.engine.local.tree.attention_kernels import (
    HeadShape,
    head_shape,
    kernel_refusal,
    largest_difference,
    pad_heads,
)
from judging.engine.local.tree.attention_parts import AttentionPart, Scoring, causal_mask, plain_attention_part

_CAUSAL = (37, 1, 203, 64, 130)  # lengths of the sequences that a kernel is tried on
_QUERIES, _KEYS = (37, 1, 203, 1, 130, 2), (5, 301, 70, 1, 129, 64)


@dataclass(frozen=True, slots=True)
class SequenceEnds:
    """Limits of the sequences in a row.

    offsets: begin of each sequence and end of the last, int32 (sequences + 1,). longest: tokens of the longest.
    """

    offsets: Tensor
    longest: int


@dataclass(frozen=True, slots=True)
class SequenceKernel:
    """A kernel for sequences end to end.

    run: takes query, key and value, (tokens, heads, width), the ends of the queries' and of the keys' sequences, scale,
    and causal. No sequence is empty.
    """

    name: str
    run: Callable[[Tensor, Tensor, Tensor, SequenceEnds, SequenceEnds, float, bool], AttentionPart]


@dataclass(frozen=True, slots=True)
class SequenceChoice:
    """The kernel for a head shape; None if the device has none, or if it was refused. refused: the reason, or empty."""

    kernel: SequenceKernel | None
    refused: str = ""


def sequence_ends(lengths: Sequence[int], device: torch.device) -> SequenceEnds:
    """Return the limits of sequences of the given lengths."""
    offsets = torch.tensor([0, *accumulate(lengths)], dtype=torch.int32)
    return SequenceEnds(send(offsets, device), max(lengths))


def sequence_choice(query: Tensor, key: Tensor, value: Tensor) -> SequenceChoice:
    """Choose the kernel for states of the shape (batch, heads, tokens, width)."""
    return _chosen(head_shape(query, key)) if query.shape[-1] == value.shape[-1] else SequenceChoice(None)


@cache
def _chosen(heads: HeadShape) -> SequenceChoice:
    is_offered = heads.device.type == "cuda" and heads.dtype != torch.float32
    return choose_for_sequences(heads, FLASH) if is_offered else SequenceChoice(None)


def choose_for_sequences(heads: HeadShape, kernel: SequenceKernel) -> SequenceChoice:
    """Return the kernel if it agrees with plain operations in float32 on the device."""
    refused = kernel_refusal(kernel.name, lambda: _difference(kernel, heads), heads.dtype)
    return SequenceChoice(None, refused) if refused else SequenceChoice(kernel)


@torch.inference_mode()
def _difference(kernel: SequenceKernel, heads: HeadShape) -> float:
    return largest_difference(
        pair
        for queries, keys, causal in ((_CAUSAL, _CAUSAL, True), (_QUERIES, _KEYS, False))
        for pair in _found_and_expected(kernel, heads, queries, keys, causal)
    )


def _found_and_expected(
    kernel: SequenceKernel, heads: HeadShape, queries: Sequence[int], keys: Sequence[int], causal: bool
) -> list[tuple[Tensor, Tensor]]:
    """Return means and normalisers, from all sequences together and from each alone."""
    rng = torch.Generator().manual_seed(0)

    def states(tokens: int, number: int) -> Tensor:
        return torch.randn(tokens, number, heads.width, generator=rng).to(heads.device, heads.dtype)

    query, key, value = (
        states(sum(lengths), number)
        for lengths, number in ((queries, heads.queries), (keys, heads.keys), (keys, heads.keys))
    )
    asking, seen, scale = sequence_ends(queries, heads.device), sequence_ends(keys, heads.device), heads.width**-0.5
    found = kernel.run(query, key, value, asking, seen, scale, causal)
    expected = plain_sequences(query.float(), key.float(), value.float(), asking, seen, scale, causal)
    return [(found.out, expected.out), (found.weight, expected.weight)]


def plain_sequences(
    query: Tensor, key: Tensor, value: Tensor, queries: SequenceEnds, keys: SequenceEnds, scale: float, causal: bool
) -> AttentionPart:
    """Compute the result of a kernel in plain operations, sequence by sequence."""
    parts = []
    for asking, seen in zip(pairwise(queries.offsets.tolist()), pairwise(keys.offsets.tolist()), strict=True):
        own = query[slice(*asking)].transpose(0, 1)[None]
        its_keys, its_values = (states[slice(*seen)].transpose(0, 1)[None] for states in (key, value))
        allowed = causal_mask(own.shape[2], window=None, device=own.device) if causal else None
        parts.append(plain_attention_part(own, its_keys, its_values, Scoring(scale), allowed=allowed))
    return AttentionPart(torch.cat([part.out for part in parts], 2), torch.cat([part.weight for part in parts], 2))


def _flash(
    query: Tensor, key: Tensor, value: Tensor, queries: SequenceEnds, keys: SequenceEnds, scale: float, causal: bool
) -> AttentionPart:
    """Run flash attention, which supports heads that share keys. Its normalisers are (heads, tokens)."""
    width, (query, key, value) = query.shape[-1], pad_heads(query, key, value)
    longest = max(queries.longest, 2)  # with one query in each sequence, its results have another layout
    out, weight, *_ = torch.ops.aten._flash_attention_forward(
        query, key, value, queries.offsets, keys.offsets, longest, keys.longest, 0.0, causal, False, scale=scale
    )
    return AttentionPart(out[..., :width].transpose(0, 1)[None], weight[None])


FLASH = SequenceKernel("flash attention of sequences", _flash)
