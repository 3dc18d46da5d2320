"""Score rows of a decoder-only model over their prefix tree. Shared beginnings run once, and some rows stay held."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import torch
from torch import Tensor
from transformers import PreTrainedModel

from evenhand.engine.interruption import require_use
from evenhand.engine.local.batching import OutOfMemory, TokenBudget
from evenhand.engine.local.label_logprobs import LabelScores, LabelToken, sum_label_tokens
from evenhand.engine.local.model.model_traits import attending_by
from evenhand.engine.local.tensors import send
from evenhand.engine.local.token_budgets import reporting_out_of_memory
from evenhand.engine.local.tree.attention_parts import KeysValues
from evenhand.engine.local.tree.prefix_tree import (
    SHORTEST_SHARED,
    Node,
    Pack,
    PrefixTree,
    known_beginnings,
    prefix_tree,
    walk,
)
from evenhand.engine.local.tree.tree_attention import TREE_ATTENTION, NodeMemory, PackedAttention, RowAttention
from evenhand.engine.questions.label_tokens import Ids, TokenRow


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


class TreeScorer:
    """Scores rows with a model that `try_tree` does not refuse.

    It holds the keys and values of the current pack, of the path to it, and of the last row of the previous call. The
    next rows mostly begin like that row, because one context is asked in several calls.

    cuts: cut rows longer than the budget into several packs, for rows with many predicted tokens.
    """

    def __init__(self, model: PreTrainedModel, budget: TokenBudget, *, cuts: bool = False) -> None:
        self._model = model
        self._budget = budget
        self._cuts = cuts
        self._before: tuple[HeldRow, ...] = ()
        self._written: Sequence[HeldRow] = ()

    def hold(self, written: Sequence[HeldRow]) -> None:
        """Use the keys and values of written texts, with their prompts, in the next calls; until others are given."""
        self._written = written

    def score(self, rows: Sequence[TokenRow]) -> LabelScores:
        if not rows:
            return LabelScores([], 0)
        scores = self._score(rows)
        if self._written and None in scores.values:  # without them there is more memory
            self.hold(())
            scores = self._score(rows)
        return scores

    def _score(self, rows: Sequence[TokenRow]) -> LabelScores:
        tree, memory = self._tree([row.ids for row in rows], self._known(rows))
        self._before = ()
        tokens_of = label_tokens(tree, rows)
        last_row = frozenset(tree.path(tree.last[-1]))
        scored: list[tuple[list[LabelToken], Tensor]] = []

        def work(pack: Pack) -> None:
            for node in memory.keys() - last_row:
                if tree.nodes[node].end <= pack.begin:  # no later node lies below it
                    del memory[node]
            tokens = [token for node in range(pack.begin, pack.end) for token in tokens_of[node]]
            kept = needed_after(tree, pack) | last_row.intersection(range(pack.begin, pack.end)) - tree.known
            with reporting_out_of_memory():
                packed = PackedAttention(tree, pack, token_positions(tree, pack, self._model.device), memory, kept)
                scored.append((tokens, self._logprobs(packed, tokens)))

        lost = walk(tree, work, budget=self._budget)
        values = sum_label_tokens(rows, scored)
        if not last_row & lost:
            with suppress(OutOfMemory), reporting_out_of_memory():
                self._before = (_remembered(rows[-1].ids, tree, memory),)
        return LabelScores(
            [None if tree.last[row] in lost else value for row, value in enumerate(values)],
            tree.tokens - sum(tree.length(number) for number in lost),
        )

    def _known(self, rows: Sequence[TokenRow]) -> list[HeldRow]:
        """Return the beginnings of rows whose keys and values are held, and that predict no label."""
        held = [*self._before, *self._written]
        beginnings = known_beginnings([one.ids for one in held], [(row.ids, row.given - 1) for row in rows])
        return [replace(one, ids=ids) for one, ids in zip(held, beginnings, strict=True) if len(ids) >= SHORTEST_SHARED]

    def _tree(self, rows: Sequence[Ids], known: Sequence[HeldRow]) -> tuple[PrefixTree, NodeMemory]:
        """Build the tree, and return the keys and values of its known nodes.

        The beginning of a row up to each cut is added as a row, so that a node ends there.
        """
        most = self._budget.tokens
        ends = [ids[:end] for ids in rows for end in range(most, len(ids), most)] if self._cuts else []
        beginnings = [one.ids for one in known]
        tree = prefix_tree([*rows, *beginnings, *ends], known=beginnings)
        memory = memory_of(tree, known, tree.last[len(rows) : len(rows) + len(known)])
        return replace(tree, last=tree.last[: len(rows)]), memory

    def _logprobs(self, packed: PackedAttention, tokens: Sequence[LabelToken]) -> Tensor:
        """Return log-probabilities of label tokens, float32 (tokens,), on the model's device.

        They stay there, so a GPU computes while the next pack is prepared.
        """
        tree, pack = packed.tree, packed.pack
        indices = [index_in_pack(tree, pack, token.row, token.position) for token in tokens]
        kept = sorted(set(indices))
        column = {place: index for index, place in enumerate(kept)}
        logprobs = tree_logits(self._model, packed, kept).float().log_softmax(-1)
        chosen = [[column[place] for place in indices], [token.token for token in tokens]]
        rows, ids = send(torch.tensor(chosen, dtype=torch.int64), logprobs.device)
        return logprobs[rows, ids]


def tree_logits(model: PreTrainedModel, packed: PackedAttention, indices: Sequence[int]) -> Tensor:
    """Return the logits at some indices of a pack, (indices, vocabulary)."""
    nodes = _computed(packed.tree, packed.pack)
    return row_logits(model, [token for node in nodes for token in node.ids], packed, indices)


@torch.inference_mode()
def row_logits(model: PreTrainedModel, ids: Sequence[int], packed: RowAttention, indices: Sequence[int]) -> Tensor:
    """Return the logits at some indices of a row with its own attention, (indices, vocabulary)."""
    require_use()
    with attending_by(model.config, TREE_ATTENTION):
        logits: Tensor = model(
            input_ids=send(torch.tensor([ids], dtype=torch.int64), model.device),
            position_ids=packed.positions[None],  # without them each row would begin at 0
            use_cache=False,
            logits_to_keep=send(torch.tensor(indices, dtype=torch.int64), model.device),
            packed=packed,
        ).logits
    return logits[0]


def _computed(tree: PrefixTree, pack: Pack) -> list[Node]:
    """Return the nodes with tokens in a pack."""
    return [tree.nodes[number] for number in range(pack.begin, pack.end) if number not in tree.known]


def token_positions(tree: PrefixTree, pack: Pack, device: torch.device) -> Tensor:
    """Return the position of every token of a pack, int64 (tokens,)."""
    positions = [torch.arange(node.start, node.stop) for node in _computed(tree, pack)]
    return send(torch.cat(positions), device)


def needed_after(tree: PrefixTree, pack: Pack) -> frozenset[int]:
    """Return the nodes of a pack with nodes below them in later packs."""
    nodes = range(pack.begin, pack.end)
    return frozenset(node for node in nodes if tree.nodes[node].end > pack.end and node not in tree.known)


def _remembered(ids: Ids, tree: PrefixTree, memory: NodeMemory) -> HeldRow:
    """Concatenate the keys and values of a tree's last row."""
    pieces = [Piece(tree.nodes[node].start, memory[node]) for node in tree.path(tree.last[-1])]
    return HeldRow(ids, (Piece(0, HeldRow(ids, pieces).copied()),))


def label_tokens(tree: PrefixTree, rows: Sequence[TokenRow]) -> defaultdict[int, list[LabelToken]]:
    """Return the label tokens by the node that predicts them."""
    tokens: defaultdict[int, list[LabelToken]] = defaultdict(list)
    for number, row in enumerate(rows):
        for label, ids in enumerate(row.labels):
            for position, token in enumerate(ids, start=row.given - 1):
                tokens[tree.node_at(number, position)].append(LabelToken(number, label, position, token))
    return tokens


def index_in_pack(tree: PrefixTree, pack: Pack, row: int, position: int) -> int:
    """Return the index in a pack of the token at a position of a row."""
    node = tree.node_at(row, position)
    return pack.slice_of(node).start + position - tree.nodes[node].start
