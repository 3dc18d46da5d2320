"""Rows of a decoder-only model over their prefix tree: every token that rows share at their beginning runs once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor
from transformers import PreTrainedConfig, PreTrainedModel

from judging.engine.batching import TokenBudget
from judging.engine.labels import Ids, Row
from judging.engine.prefix_tree import Pack, PrefixTree, next_pack, prefix_tree, walk
from judging.engine.tensors import (
    ordinary_tokens,
    reporting_out_of_memory,
    rotation_depends_on_length,
    takes_logits_to_keep,
)
from judging.engine.tree_attention import NAME, KeysValues, PackedAttention

Memory = dict[int, dict[int, KeysValues]]

_LARGEST_DIFFERENCE = {torch.float32: 1e-3, torch.float16: 0.05, torch.bfloat16: 0.2}


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


class TreeScorer:
    """Scores rows with a model that `why_no_tree` finds nothing against.

    Beside the pack at hand it holds the keys and values on the way to it, and no others.
    """

    def __init__(self, model: PreTrainedModel, budget: TokenBudget) -> None:
        self._model = model
        self._budget = budget

    def score(self, rows: Sequence[Row]) -> ScoredRows:
        tree = prefix_tree([row.ids for row in rows])
        asked = _label_tokens(tree, rows)
        values = [[0.0] * len(row.labels) for row in rows]
        memory: Memory = {}

        def work(pack: Pack) -> None:
            _forget(memory, but=tree.above(pack.begin))
            tokens = [token for node in range(pack.begin, pack.end) for token in asked[node]]
            for token, logprob in zip(tokens, self._logprobs(tree, pack, memory, tokens), strict=True):
                values[token.row][token.label] += logprob

        lost = walk(tree, work, budget=self._budget)
        return ScoredRows(
            [None if tree.last[row] in lost else value for row, value in enumerate(values)],
            sum(len(node.ids) for number, node in enumerate(tree.nodes) if number not in lost),
        )

    def _logprobs(self, tree: PrefixTree, pack: Pack, memory: Memory, tokens: Sequence[_LabelToken]) -> list[float]:
        places = [_place(tree, pack, token.row, token.position) for token in tokens]
        kept = sorted(set(places))
        column = {place: index for index, place in enumerate(kept)}
        with reporting_out_of_memory():
            logits, _ = tree_logits(self._model, tree, pack, memory, kept)
            chosen = logits.float().log_softmax(-1)[
                [column[place] for place in places], [token.token for token in tokens]
            ]
            return chosen.tolist()


@torch.inference_mode()
def tree_logits(
    model: PreTrainedModel, tree: PrefixTree, pack: Pack, memory: Memory, places: Sequence[int]
) -> tuple[Tensor, frozenset[int]]:
    """What a model predicts at some places of a pack, (places, vocabulary), and the sliding windows of its layers."""
    nodes = tree.nodes[pack.begin : pack.end]
    ids = torch.tensor([token for node in nodes for token in node.ids], device=model.device)
    positions = torch.tensor(
        [position for node in nodes for position in range(node.start, node.start + len(node.ids))], device=model.device
    )
    packed = PackedAttention(tree, pack, positions, memory)
    with _attending_over_trees(model):
        logits: Tensor = model(
            input_ids=ids[None],
            position_ids=positions[None],  # without them each row would begin at 0
            use_cache=False,
            logits_to_keep=torch.tensor(places, dtype=torch.int64, device=model.device),
            packed=packed,
        ).logits
    return logits[0], frozenset(packed.windows)


@contextmanager
def _attending_over_trees(model: PreTrainedModel) -> Iterator[None]:
    usual = model.config._attn_implementation
    model.config._attn_implementation = NAME
    try:
        yield
    finally:
        model.config._attn_implementation = usual


def _label_tokens(tree: PrefixTree, rows: Sequence[Row]) -> defaultdict[int, list[_LabelToken]]:
    """What is asked, by the node that predicts it."""
    found: defaultdict[int, list[_LabelToken]] = defaultdict(list)
    for number, row in enumerate(rows):
        for label, ids in enumerate(row.labels):
            for position, token in enumerate(ids, start=row.given - 1):
                found[tree.node_at(number, position)].append(_LabelToken(number, label, position, token))
    return found


def _place(tree: PrefixTree, pack: Pack, row: int, position: int) -> int:
    """Where the token at a position of a row is in a pack that holds it."""
    node = tree.node_at(row, position)
    return pack.place_of(node).start + position - tree.nodes[node].start


def _forget(memory: Memory, *, but: Iterable[int]) -> None:
    for node in memory.keys() - set(but):
        del memory[node]


def why_no_tree(model: PreTrainedModel) -> str:
    """Why a model cannot be run over a prefix tree; empty if it can: tried on a small tree, beside row by row.

    What the small tree is too small to show is looked up in the configuration.
    """
    config = model.config.get_text_config()
    if not takes_logits_to_keep(model):
        return "the model cannot predict at chosen positions only"
    if rotation_depends_on_length(model):
        return "its positions depend on the length of the prompt"
    if getattr(config, "attention_chunk_size", None):
        return "its attention goes by chunks"
    try:
        difference, windows = _try_small_tree(model)
    except Exception as error:  # whatever an unknown architecture makes of it: it is not asked again
        return f"it cannot attend over one ({type(error).__name__}: {error})"
    if _declares_window(config) and not windows:
        return "its sliding window is unknown to its attention"
    if not difference <= _LARGEST_DIFFERENCE[model.dtype]:
        return f"its log-probabilities would differ by {difference:.2g}"
    return ""


def _try_small_tree(model: PreTrainedModel) -> tuple[float, frozenset[int]]:
    """How far log-probabilities over a tree of three rows are from those row by row, on average over the vocabulary.

    And the sliding windows that the attention was told of. Two packs, so that keys and values are also remembered.
    """
    ordinary = ordinary_tokens(model)
    tokens = tuple(ordinary[place * len(ordinary) // 40] for place in range(40))
    shared, further = tokens[:12], tokens[12:20]
    rows = [shared + further + tokens[20:25], shared + further + tokens[25:31], shared + tokens[31:37]]
    tree = prefix_tree(rows, shortest=4)
    memory: Memory = {}
    windows: frozenset[int] = frozenset()
    largest = 0.0
    for pack in (next_pack(tree, 0, budget=20), next_pack(tree, 2, budget=20)):
        ends = [(row, ids) for row, ids in enumerate(rows) if pack.begin <= tree.last[row] < pack.end]
        places = [_place(tree, pack, row, len(ids) - 1) for row, ids in ends]
        logits, windows = tree_logits(model, tree, pack, memory, places)
        for (_, ids), predicted in zip(ends, logits, strict=True):
            difference = _last_logprobs(model, ids) - predicted.float().log_softmax(-1)
            largest = max(largest, float(difference.abs().mean()))
    return largest, windows


@torch.inference_mode()
def _last_logprobs(model: PreTrainedModel, ids: Ids) -> Tensor:
    return (
        model(input_ids=torch.tensor([ids], device=model.device), use_cache=False).logits[0, -1].float().log_softmax(-1)
    )


def _declares_window(config: PreTrainedConfig) -> bool:
    """Whether some layer sees only the tokens next before it."""
    kinds = getattr(config, "layer_types", None)
    return bool(getattr(config, "sliding_window", None)) and (kinds is None or "sliding_attention" in kinds)
