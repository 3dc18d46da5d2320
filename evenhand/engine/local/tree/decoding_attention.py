"""Attention during generation, one token of each text at a time. Keys that prompts share are stored once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median

import torch
from torch import Tensor

from evenhand.engine.local.tree.attention_kernels import attend_part
from evenhand.engine.local.tree.attention_parts import (
    AttentionPart,
    KeysValues,
    Scoring,
    join,
    with_sinks,
    within_window,
)
from evenhand.engine.local.tree.prefix_tree import PrefixTree
from evenhand.engine.local.tree.tree_attention import NodeMemory
from evenhand.engine.local.tree.tree_scorer import Piece

MOST_PADDED = 2  # times the median length: a longer ending of a prompt is attended to separately


@dataclass(frozen=True, slots=True)
class _Seen:
    """A node of the prompts' tree that rows `low` to `high` - 1 see."""

    node: int
    low: int
    high: int


class StepAttention:
    """Attention of many texts, step by step; rows are texts, in the order of their prompts' tree.

    A row sees the nodes on the path to the end of its prompt, which others may see too, and its own keys and values:
    its last node, if no other prompt contains it, and the written tokens. The own keys of all rows are padded on the
    left to one length, so the newest token has the same column in each row. Rows that are not kept leave their place
    only when a quarter of the places is empty, because that copies all own keys.
    """

    def __init__(self, tree: PrefixTree, memory: NodeMemory, *, new_tokens: int, holds: bool = False) -> None:
        """memory: keys and values of every node. new_tokens: the most tokens written after a prompt.

        holds: copy the keys and values of rows that are not kept, for `pieces`.
        """
        own = _own_nodes(tree)
        lengths = [0 if node is None else len(tree.nodes[node].ids) for node in own]
        longest = max(lengths)
        self._tree = tree
        self._seen = _seen_nodes(tree, own)
        self._own = {layer: _gathered(memory, own, layer, longest + new_tokens, longest) for layer in memory[0]}
        self._memory = {seen.node: memory[seen.node] for seen in self._seen}
        self._rows = list(range(len(own)))
        self._starts = [tree.nodes[last].stop - length for last, length in zip(tree.last, lengths, strict=True)]
        self._ended: dict[int, Piece] = {}
        self._holds = holds
        device = next(iter(self._own.values()))[0].device
        self._paddings = [longest - length for length in lengths]
        self._padding = torch.tensor(self._paddings, device=device)
        self._place = torch.arange(len(own), device=device)
        self._is_padded = min(lengths) < longest
        self._newest = longest
        self.positions = torch.tensor([tree.nodes[last].stop for last in tree.last], device=device)

    def advance(self) -> None:
        """Go to the next step."""
        self._newest += 1
        self.positions = self.positions + 1

    def keep(self, rows: Sequence[int]) -> None:
        """Keep some of the rows, in their order."""
        if self._holds:
            self._copy_ended(set(range(len(self._rows))).difference(rows))
        index = torch.tensor(rows, device=self._padding.device)
        self._rows = [self._rows[row] for row in rows]
        self._place, self.positions = self._place[index], self.positions[index]
        self._seen = list(_still_seen(self._seen, rows))
        if 4 * len(rows) <= 3 * len(self._padding):
            self._close_gaps()

    def _close_gaps(self) -> None:
        """Lay out the own keys of the kept rows next to one another."""
        for layer, (keys, values) in self._own.items():
            self._own[layer] = _selected(keys, self._place, self._newest), _selected(values, self._place, self._newest)
        self._padding = self._padding[self._place]
        self._place = torch.arange(len(self._place), device=self._place.device)

    def _copy_ended(self, rows: Iterable[int]) -> None:
        for row in rows:
            number, place = self._rows[row], int(self._place[row])
            columns = slice(self._paddings[number], self._newest)
            layers = {
                layer: (keys[place, None, :, columns].clone(), values[place, None, :, columns].clone())
                for layer, (keys, values) in self._own.items()
            }
            self._ended[number] = Piece(self._starts[number], layers)

    def pieces(self) -> list[list[Piece]]:
        """Return the keys and values that each row has seen, once all rows have ended: of nodes, and its own."""
        self._copy_ended(range(len(self._rows)))
        return [[*self._nodes_above(row), self._ended[row]] for row in range(len(self._starts))]

    def _nodes_above(self, row: int) -> list[Piece]:
        """Return the nodes that a row sees and that are not its own."""
        path = self._tree.path(self._tree.last[row])
        return [Piece(self._tree.nodes[node].start, self._memory[node]) for node in path if node in self._memory]

    def attend(self, layer: int, query: Tensor, key: Tensor, value: Tensor, scoring: Scoring) -> Tensor:
        """Return the attention of one layer. All (1, heads, rows, width), the result with the width of the values."""
        _, heads, rows, width = query.shape
        grouped = query[0].transpose(0, 1).reshape(rows, key.shape[1], -1, width)  # heads with the same keys together
        whole = self._own_part(layer, grouped, key, value, scoring)
        for seen in self._seen:
            place = slice(seen.low, seen.high)
            shared = self._shared_part(layer, seen, grouped[place], scoring)
            join(AttentionPart(whole.out[place], whole.weight[place]), shared)
        sinks = None if scoring.sinks is None else scoring.sinks.reshape(whole.weight.shape[1:])
        return with_sinks(whole, sinks).reshape(rows, heads, -1).transpose(0, 1)[None]

    def _own_part(self, layer: int, query: Tensor, key: Tensor, value: Tensor, scoring: Scoring) -> AttentionPart:
        keys, values = self._own[layer]
        keys[self._place, :, self._newest] = key[0].transpose(0, 1)
        values[self._place, :, self._newest] = value[0].transpose(0, 1)
        has_gaps = len(query) < len(keys)
        if has_gaps:
            query = query.new_zeros(len(keys), *query.shape[1:]).index_copy(0, self._place, query)
        end = self._newest + 1
        begin = 0 if scoring.window is None else max(0, end - scoring.window)
        allowed = None
        if self._is_padded:
            columns = torch.arange(begin, end, device=query.device)
            allowed = (columns >= self._padding[:, None])[:, None, None].expand(-1, 1, query.shape[2], -1)
        scoring = replace(scoring, window=None)
        part = attend_part(query, keys[:, :, begin:end], values[:, :, begin:end], scoring, allowed=allowed)
        return AttentionPart(part.out[self._place], part.weight[self._place]) if has_gaps else part

    def _shared_part(self, layer: int, seen: _Seen, query: Tensor, scoring: Scoring) -> AttentionPart:
        """Attend to a shared node. Query and result: (rows, key heads, queries of a key head, width)."""
        rows, heads, queries, width = query.shape
        keys, values = self._memory[seen.node][layer]
        node = self._tree.nodes[seen.node]
        allowed = within_window(self.positions[seen.low : seen.high], node.start, node.stop, scoring.window)
        part = attend_part(
            query.transpose(0, 1).reshape(1, heads, rows * queries, width),
            keys,
            values,
            replace(scoring, window=None),
            allowed=None if allowed is None else allowed.repeat_interleave(queries, 0),
        )
        out = part.out.reshape(heads, rows, queries, -1).transpose(0, 1)
        return AttentionPart(out, part.weight.reshape(heads, rows, queries).transpose(0, 1))


def _selected(states: Tensor, rows: Tensor, columns: int) -> Tensor:
    """Return some rows, with the same room. Only the first columns are copied."""
    selected = states.new_zeros(len(rows), *states.shape[1:])
    selected[:, :, :columns] = states[rows, :, :columns]
    return selected


def _own_nodes(tree: PrefixTree) -> list[int | None]:
    """Return each row's own last node; None if others see it too, or if it is unusually long."""
    alone = [tree.nodes[last].end == last + 1 and tree.last.count(last) == 1 for last in tree.last]
    lengths = [len(tree.nodes[last].ids) for last in tree.last]
    usual = median([length for length, is_alone in zip(lengths, alone, strict=True) if is_alone] or [0])
    return [
        last if is_alone and length <= MOST_PADDED * usual else None
        for last, is_alone, length in zip(tree.last, alone, lengths, strict=True)
    ]


def _seen_nodes(tree: PrefixTree, own: Sequence[int | None]) -> list[_Seen]:
    """Return the nodes that are no row's own, with the rows that see them."""
    seen: dict[int, _Seen] = {}
    for row, last in enumerate(tree.last):
        for node in tree.path(last):
            if node != own[row]:
                seen[node] = _Seen(node, seen[node].low if node in seen else row, row + 1)
    return list(seen.values())


def _gathered(memory: NodeMemory, own: Sequence[int | None], layer: int, columns: int, begin: int) -> KeysValues:
    """Lay the own nodes of all rows out to end before column `begin`, with room for written tokens after it."""
    keys, values = (one.new_zeros(len(own), one.shape[1], columns, one.shape[3]) for one in memory[0][layer])
    for row, node in enumerate(own):
        if node is not None:
            own_keys, own_values = memory[node][layer]
            keys[row, :, begin - own_keys.shape[2] : begin] = own_keys[0]
            values[row, :, begin - own_values.shape[2] : begin] = own_values[0]
    return keys, values


def _still_seen(seen: Iterable[_Seen], rows: Sequence[int]) -> Iterable[_Seen]:
    """Return the nodes that the kept rows see, with the rows renumbered."""
    for one in seen:
        low = sum(row < one.low for row in rows)
        high = sum(row < one.high for row in rows)
        if high > low:
            yield replace(one, low=low, high=high)
