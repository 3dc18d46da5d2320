"""Keys and values of rows that went through the model before, so that later rows need not compute them again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch

from evenhand.engine.local.tree.attention_parts import KeysValues
from evenhand.engine.local.tree.prefix_tree import PrefixTree
from evenhand.engine.local.tree.tree_attention import NodeMemory
from evenhand.engine.questions.label_tokens import Ids


@dataclass(frozen=True, slots=True)
class Piece:
    """Keys and values of consecutive tokens of a row. start: position of the first. layers: by layer."""

    start: int
    layers: Mapping[int, KeysValues]

    @property
    def stop(self) -> int:
        """Position after the last token."""
        keys, _ = next(iter(self.layers.values()))
        return self.start + keys.shape[2]

    def between(self, start: int, stop: int, layer: int) -> KeysValues:
        """Return the keys and values of the piece's tokens from `start` to `stop` - 1 in one layer."""
        place = slice(max(start - self.start, 0), max(stop - self.start, 0))
        keys, values = self.layers[layer]
        return keys[:, :, place], values[:, :, place]


@dataclass(frozen=True, slots=True)
class HeldRow:
    """Tokens of a row, and their keys and values in consecutive pieces."""

    ids: Ids
    pieces: Sequence[Piece]

    def between(self, start: int, stop: int) -> dict[int, KeysValues]:
        """Return the keys and values of the tokens from `start` to `stop` - 1, by layer."""
        needed = [piece for piece in self.pieces if piece.start < stop and piece.stop > start]
        return {layer: _joined([piece.between(start, stop, layer) for piece in needed]) for layer in needed[0].layers}

    def copied(self) -> dict[int, KeysValues]:
        """Return a copy of the keys and values of all tokens, by layer."""
        return {
            layer: (
                torch.cat([piece.layers[layer][0] for piece in self.pieces], 2),
                torch.cat([piece.layers[layer][1] for piece in self.pieces], 2),
            )
            for layer in self.pieces[0].layers
        }


def memory_of(tree: PrefixTree, rows: Sequence[HeldRow], last: Sequence[int]) -> NodeMemory:
    """Return the keys and values of known nodes. last: the last known node of each row."""
    memory: NodeMemory = {}
    for row, end in zip(rows, last, strict=True):
        for number in tree.path(end):
            node = tree.nodes[number]
            if number not in memory:
                memory[number] = row.between(node.start, node.stop)
    return memory


def _joined(parts: Sequence[KeysValues]) -> KeysValues:
    if len(parts) == 1:
        return parts[0]
    keys, values = zip(*parts, strict=True)
    return torch.cat(keys, 2), torch.cat(values, 2)
