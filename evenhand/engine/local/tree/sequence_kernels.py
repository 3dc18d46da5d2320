"""Attention of many sequences of different lengths, end to end in one row, by one kernel call.

Like other kernels (`attention_kernels.py`), it is used for a head shape only after it gave the same as plain operations
in float32 on the same device.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise

import torch
from torch import Tensor

from evenhand.engine.local.model.model_traits import largest
from evenhand.engine.local.tensors import send
from evenhand.engine.local.tree.attention_kernels import (
    HeadShape,
    KernelChoice,
    choose_kernel,
    head_shape,
    pad_heads,
    part_difference,
)
from evenhand.engine.local.tree.attention_parts import AttentionPart, Scoring, causal_mask, plain_attention_part

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

    @torch.inference_mode()
    def difference(self, heads: HeadShape) -> float:
        """Compare causal sequences, and sequences with other keys."""
        causal = self._difference(heads, _CAUSAL, _CAUSAL, True)
        return largest([causal, self._difference(heads, _QUERIES, _KEYS, False)])

    def _difference(self, heads: HeadShape, queries: Sequence[int], keys: Sequence[int], causal: bool) -> Tensor:
        rng = torch.Generator().manual_seed(0)

        def states(tokens: int, number: int) -> Tensor:
            return torch.randn(tokens, number, heads.width, generator=rng).to(heads.device, heads.dtype)

        query = states(sum(queries), heads.queries)
        key, value = states(sum(keys), heads.keys), states(sum(keys), heads.keys)
        more = (sequence_ends(queries, heads.device), sequence_ends(keys, heads.device), heads.width**-0.5, causal)
        plain = plain_sequences(query.float(), key.float(), value.float(), *more)
        return part_difference(self.run(query, key, value, *more), plain)


def sequence_ends(lengths: Sequence[int], device: torch.device) -> SequenceEnds:
    """Return the limits of sequences of the given lengths."""
    offsets = torch.tensor([0, *accumulate(lengths)], dtype=torch.int32)
    return SequenceEnds(send(offsets, device), max(lengths))


def sequence_choice(query: Tensor, key: Tensor, value: Tensor) -> KernelChoice[SequenceKernel]:
    """Choose the kernel for states of the shape (batch, heads, tokens, width)."""
    return _chosen(head_shape(query, key)) if query.shape[-1] == value.shape[-1] else KernelChoice(None)


@cache
def _chosen(heads: HeadShape) -> KernelChoice[SequenceKernel]:
    is_offered = heads.device.type == "cuda" and heads.dtype != torch.float32
    return choose_kernel(heads, [FLASH] if is_offered else [])


def plain_sequences(
    query: Tensor, key: Tensor, value: Tensor, queries: SequenceEnds, keys: SequenceEnds, scale: float, causal: bool
) -> AttentionPart:
    """Compute the result of a kernel in plain operations, sequence by sequence."""
    parts = []
    for asking, seen in zip(pairwise(queries.offsets.tolist()), pairwise(keys.offsets.tolist()), strict=True):
        own, its_keys, its_values = (
            states[slice(*ends)].transpose(0, 1)[None] for states, ends in ((query, asking), (key, seen), (value, seen))
        )
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
