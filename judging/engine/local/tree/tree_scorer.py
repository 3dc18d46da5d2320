"""Rows of a decoder-only model over their prefix tree: every token that rows share at their beginning runs once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor
from transformers import PreTrainedModel

from judging.engine.local.batching import CPU_PACK_TOKENS, OutOfMemory, TokenBudget
from judging.engine.local.tensors import (
    attending_by,
    reporting_out_of_memory,
    sent,
    token_budget,
)
from judging.engine.local.tree.attention_parts import KeysValues
from judging.engine.local.tree.prefix_tree import (
    SHORTEST_SHARED,
    Node,
    Pack,
    PrefixTree,
    known_beginning,
    prefix_tree,
    walk,
)
from judging.engine.local.tree.tree_attention import NAME, Memory, PackedAttention, RowAttention
from judging.engine.questions.label_tokens import Ids, Row


@dataclass(frozen=True, slots=True)
class ScoredRows:
    """values: for every row the log-probability of each of its labels; None where it did not fit into memory.

    computed_tokens: tokens that the model ran over, padding not counted.
    """

    values: list[list[float] | None]
    computed_tokens: int


@dataclass(frozen=True, slots=True)
class _LabelToken:
    """A token of a label of a row, predicted at a position of that row."""

    row: int
    label: int
    position: int
    token: int


@dataclass(frozen=True, slots=True)
class _RememberedRow:
    """The row that was asked last, and its keys and values in every layer."""

    ids: Ids = ()
    layers: Mapping[int, KeysValues] = field(default_factory=dict)

    def memory_of(self, tree: PrefixTree) -> Memory:
        """The part of it that a tree knows."""
        places = {number: _tokens_of(tree.nodes[number]) for number in tree.known}
        return {
            number: {layer: (keys[:, :, place], values[:, :, place]) for layer, (keys, values) in self.layers.items()}
            for number, place in places.items()
        }


class TreeScorer:
    """Scores rows with a model that `try_tree` finds nothing against.

    Beside the pack at hand it holds the keys and values on the way to it and of the row asked last, and no others. The
    next rows mostly begin like that one: those of one context are asked in several calls.

    cuts: whether rows longer than the budget are cut into packs, where many tokens of one are predicted.
    """

    def __init__(self, model: PreTrainedModel, budget: TokenBudget, *, cuts: bool = False) -> None:
        self._model = model
        self._budget = budget
        self._cuts = cuts
        self._before = _RememberedRow()

    def score(self, rows: Sequence[Row]) -> ScoredRows:
        if not rows:
            return ScoredRows([], 0)
        known = known_beginning(self._before.ids, [(row.ids, row.given - 1) for row in rows])
        tree = self._tree([row.ids for row in rows], known if len(known) >= SHORTEST_SHARED else ())
        memory = self._before.memory_of(tree)
        self._before = _RememberedRow()
        asked = _label_tokens(tree, rows)
        last_row = frozenset(tree.path(tree.last[-1]))
        found: list[tuple[list[_LabelToken], Tensor]] = []

        def work(pack: Pack) -> None:
            _forget(memory, tree, before=pack.begin, but=last_row)
            tokens = [token for node in range(pack.begin, pack.end) for token in asked[node]]
            kept = needed_after(tree, pack) | last_row.intersection(range(pack.begin, pack.end)) - tree.known
            with reporting_out_of_memory():
                packed = PackedAttention(tree, pack, token_positions(tree, pack, self._model.device), memory, kept)
                found.append((tokens, self._logprobs(packed, tokens)))

        lost = walk(tree, work, budget=self._budget)
        values = _summed(rows, found)
        if not last_row & lost:
            with suppress(OutOfMemory), reporting_out_of_memory():
                self._before = _remembered(rows[-1].ids, tree, memory)
        return ScoredRows(
            [None if tree.last[row] in lost else value for row, value in enumerate(values)],
            tree.tokens - sum(tree.length(number) for number in lost),
        )

    def _tree(self, rows: Sequence[Ids], known: Ids) -> PrefixTree:
        """Where rows are cut, their beginnings up to each cut are rows too: so a node ends there."""
        most = self._budget.tokens
        ends = [ids[:end] for ids in rows for end in range(most, len(ids), most)] if self._cuts else []
        tree = prefix_tree([*rows, *ends], known=known)
        return replace(tree, last=tree.last[: len(rows)])

    def _logprobs(self, packed: PackedAttention, tokens: Sequence[_LabelToken]) -> Tensor:
        """Of tokens of labels, float32 (tokens,), where the model is: a GPU goes on while the next pack is laid out."""
        tree, pack = packed.tree, packed.pack
        places = [place_in_pack(tree, pack, token.row, token.position) for token in tokens]
        kept = sorted(set(places))
        column = {place: index for index, place in enumerate(kept)}
        logprobs = tree_logits(self._model, packed, kept).float().log_softmax(-1)
        asked = torch.tensor(
            [[column[place] for place in places], [token.token for token in tokens]], dtype=torch.int64
        )
        rows, ids = sent(asked, logprobs.device)
        return logprobs[rows, ids]


def _summed(rows: Sequence[Row], found: Sequence[tuple[list[_LabelToken], Tensor]]) -> list[list[float]]:
    """Of every row the log-probability of each of its labels, from those of their tokens in each pack."""
    values = [[0.0] * len(row.labels) for row in rows]
    for tokens, logprobs in found:
        for token, logprob in zip(tokens, logprobs.tolist(), strict=True):
            values[token.row][token.label] += logprob
    return values


def tree_logits(model: PreTrainedModel, packed: PackedAttention, places: Sequence[int]) -> Tensor:
    """What a model predicts at some places of a pack, (places, vocabulary)."""
    nodes = _computed(packed.tree, packed.pack)
    return row_logits(model, [token for node in nodes for token in node.ids], packed, places)


@torch.inference_mode()
def row_logits(model: PreTrainedModel, ids: Sequence[int], packed: RowAttention, places: Sequence[int]) -> Tensor:
    """What a model predicts at some places of a row of tokens that attend in their own way, (places, vocabulary)."""
    with attending_by(model.config, NAME):
        logits: Tensor = model(
            input_ids=sent(torch.tensor([ids], dtype=torch.int64), model.device),
            position_ids=packed.positions[None],  # without them each row would begin at 0
            use_cache=False,
            logits_to_keep=sent(torch.tensor(places, dtype=torch.int64), model.device),
            packed=packed,
        ).logits
    return logits[0]


def _computed(tree: PrefixTree, pack: Pack) -> list[Node]:
    """The nodes that have tokens in a pack."""
    return [tree.nodes[number] for number in range(pack.begin, pack.end) if number not in tree.known]


def token_positions(tree: PrefixTree, pack: Pack, device: torch.device) -> Tensor:
    """Of every token of a pack, int64 (tokens,)."""
    places = [torch.arange(node.start, node.start + len(node.ids)) for node in _computed(tree, pack)]
    return sent(torch.cat(places), device)


def needed_after(tree: PrefixTree, pack: Pack) -> frozenset[int]:
    """The nodes of a pack that have nodes below them in later packs."""
    nodes = range(pack.begin, pack.end)
    return frozenset(node for node in nodes if tree.nodes[node].end > pack.end and node not in tree.known)


def _tokens_of(node: Node) -> slice:
    """Where the tokens of a node are in a row."""
    return slice(node.start, node.start + len(node.ids))


def _remembered(ids: Ids, tree: PrefixTree, memory: Memory) -> _RememberedRow:
    """The last row of a tree, put together from its nodes."""
    parts = [memory[node] for node in tree.path(tree.last[-1])]
    layers = {
        layer: (torch.cat([part[layer][0] for part in parts], 2), torch.cat([part[layer][1] for part in parts], 2))
        for layer in parts[0]
    }
    return _RememberedRow(ids, layers)


def _label_tokens(tree: PrefixTree, rows: Sequence[Row]) -> defaultdict[int, list[_LabelToken]]:
    """What is asked, by the node that predicts it."""
    found: defaultdict[int, list[_LabelToken]] = defaultdict(list)
    for number, row in enumerate(rows):
        for label, ids in enumerate(row.labels):
            for position, token in enumerate(ids, start=row.given - 1):
                found[tree.node_at(number, position)].append(_LabelToken(number, label, position, token))
    return found


def place_in_pack(tree: PrefixTree, pack: Pack, row: int, position: int) -> int:
    """Where the token at a position of a row is in a pack that holds it."""
    node = tree.node_at(row, position)
    return pack.place_of(node).start + position - tree.nodes[node].start


def _forget(memory: Memory, tree: PrefixTree, *, before: int, but: frozenset[int]) -> None:
    """Drop the nodes that have none below them from node `before` on."""
    for node in memory.keys() - but:
        if tree.nodes[node].end <= before:
            del memory[node]


def tree_budget(model: PreTrainedModel) -> TokenBudget:
    """How long a pack to try; it halves where memory runs out."""
    return token_budget(model, on_cpu=CPU_PACK_TOKENS)
