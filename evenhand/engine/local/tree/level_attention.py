"""Attention over a prefix tree level by level: one kernel call for all nodes of a depth, on a GPU.

Node by node, the tree of a context with several attributes takes hundreds of calls a layer. Each is too small for a
GPU, and takes longer to launch than to compute.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from operator import attrgetter

import torch
from torch import Tensor

from evenhand.engine.local.tensors import send
from evenhand.engine.local.tree.attention_parts import AttentionPart, KeysValues, join
from evenhand.engine.local.tree.prefix_tree import Pack, PrefixTree, Sight
from evenhand.engine.local.tree.sequence_kernels import SequenceEnds, SequenceKernel, sequence_ends


@dataclass(frozen=True, slots=True)
class _Level:
    """The nodes of one depth that tokens of a pack see; each token sees at most one of them.

    place: from the first of these tokens to the last. queries: the tokens that see one node are one sequence. Tokens
    between them that see no node join the sequence before. keyless: True for such tokens, (tokens,); None if there are
    none. keys: the nodes, in the same order. pieces: where their keys are: the number of a node in memory, or positions
    in the row, int64.
    """

    place: slice
    queries: SequenceEnds
    keyless: Tensor | None
    keys: SequenceEnds
    pieces: tuple[int | Tensor, ...]


class LevelAttention:
    """Attention of one pack, level by level."""

    def __init__(self, tree: PrefixTree, pack: Pack, device: torch.device) -> None:
        self._own = sequence_ends([length for length in pack.lengths if length], device)
        depths: defaultdict[int, list[Sight]] = defaultdict(list)
        for sight in pack.sights:
            depths[len(tree.path(sight.seen))].append(sight)
        self._levels = [
            _level(tree, pack, sorted(sights, key=attrgetter("low")), device) for _, sights in sorted(depths.items())
        ]

    def attend(
        self,
        kernel: SequenceKernel,
        states: tuple[Tensor, Tensor, Tensor],
        scale: float,
        remembered: Callable[[int], KeysValues],
    ) -> AttentionPart:
        """Return the attention of one layer. states: query, key and value. All (1, heads, tokens, width)."""
        query, key, value = (one[0].transpose(0, 1) for one in states)  # (tokens, heads, width)
        whole = kernel.run(query, key, value, self._own, self._own, scale, True)
        for level in self._levels:
            keys, values = _gathered(level.pieces, (key, value), remembered)
            above = kernel.run(query[level.place], keys, values, level.queries, level.keys, scale, False)
            if level.keyless is not None:
                above = _without(above, level.keyless)
            join(AttentionPart(whole.out[:, :, level.place], whole.weight[:, :, level.place]), above)
        return whole


def _without(part: AttentionPart, keyless: Tensor) -> AttentionPart:
    """Remove the results of keyless tokens, which come from another prompt. A NaN there must not reach them."""
    return AttentionPart(part.out.masked_fill(keyless[:, None], 0.0), part.weight.masked_fill(keyless, -math.inf))


def _level(tree: PrefixTree, pack: Pack, sights: Sequence[Sight], device: torch.device) -> _Level:
    """Return one level. sights: of nodes of one depth, in the order of the tokens that see them."""
    first, end = sights[0].low, sights[-1].high
    begins = [sight.low for sight in sights]
    return _Level(
        place=slice(first, end),
        queries=sequence_ends([high - low for low, high in pairwise([*begins, end])], device),
        keyless=_keyless(sights, device),
        keys=sequence_ends([len(tree.nodes[sight.seen].ids) for sight in sights], device),
        pieces=tuple(_pieces(tree, pack, [sight.seen for sight in sights], device)),
    )


def _keyless(sights: Sequence[Sight], device: torch.device) -> Tensor | None:
    first = sights[0].low
    keyless = torch.ones(sights[-1].high - first, dtype=torch.bool)
    for sight in sights:
        keyless[sight.low - first : sight.high - first] = False
    return send(keyless, device) if keyless.any() else None


def _pieces(tree: PrefixTree, pack: Pack, seen: Sequence[int], device: torch.device) -> Iterator[int | Tensor]:
    def is_in_memory(node: int) -> bool:
        return node < pack.begin or node in tree.known

    for in_memory, nodes in groupby(seen, is_in_memory):
        if in_memory:
            yield from nodes
        else:
            indices = [torch.arange(pack.slice_of(node).start, pack.slice_of(node).stop) for node in nodes]
            yield send(torch.cat(indices), device)


def _gathered(
    pieces: Sequence[int | Tensor], states: tuple[Tensor, Tensor], remembered: Callable[[int], KeysValues]
) -> KeysValues:
    """Concatenate the keys and values of a level. states, result: (tokens, heads, width)."""
    parts = [
        [one.index_select(0, piece) for one in states]
        if isinstance(piece, Tensor)
        else [one[0].transpose(0, 1) for one in remembered(piece)]
        for piece in pieces
    ]
    keys, values = (torch.cat(one) if len(one) > 1 else one[0] for one in zip(*parts, strict=True))
    return keys, values
