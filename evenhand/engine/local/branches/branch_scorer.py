"""Score rows after shared beginnings that are computed once, by the model's own cache.

This is for models whose layers carry a state from token to token, which a prefix tree in one row would mix up.
"""

import copy
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor
from transformers import Cache, PreTrainedModel

from evenhand.engine.local.batching import Indices, OutOfMemory, TokenBudget, run_packed
from evenhand.engine.local.label_logprobs import LabelScores, LabelToken, sum_label_tokens
from evenhand.engine.local.model.model_traits import ordinary_tokens, takes_input
from evenhand.engine.local.tensors import right_padded
from evenhand.engine.local.token_budgets import reporting_out_of_memory
from evenhand.engine.local.tree.prefix_tree import SHORTEST_SHARED, PrefixTree, prefix_tree
from evenhand.engine.local.tree.tree_scorer import label_tokens
from evenhand.engine.questions.label_tokens import Ids, TokenRow

CACHE_INPUTS = ("past_key_values", "cache_params")


@dataclass(frozen=True, slots=True)
class CachedRun:
    """Logits at some positions, (rows, positions, vocabulary), and the cache after the last tokens."""

    logits: Tensor
    cache: Cache | None


def cache_input(model: PreTrainedModel) -> str:
    """Return the name of the model's input for its cache; empty if it takes none."""
    return next((name for name in CACHE_INPUTS if takes_input(model, name)), "")


def copied_cache(cache: Cache | None, rows: int) -> Cache | None:
    """Copy the cache of one row for several rows; None stays None."""
    if cache is None:
        return None
    copied = copy.deepcopy(cache)
    if rows > 1:
        copied.reorder_cache(torch.zeros(rows, dtype=torch.int64))
    return copied


class CachedModel:
    """Runs rows of tokens after a cached beginning."""

    def __init__(self, model: PreTrainedModel) -> None:
        self.model = model
        self._input = cache_input(model)
        self._keeps_logits = takes_input(model, "logits_to_keep")
        self._padding = ordinary_tokens(model)[0]

    @torch.inference_mode()
    def run(self, rows: Sequence[Ids], positions: Sequence[int], before: Cache | None, *, keep: bool) -> CachedRun:
        """Run rows, padded on the right, after copies of the cache `before`.

        positions: to predict at, counted from the first of these tokens. keep: return the cache, for one row only:
        padding would enter it.
        """
        ids, _ = right_padded(rows, device=self.model.device, padding=self._padding)
        options: dict[str, object] = {"use_cache": keep or before is not None}
        if before is not None:
            options[self._input] = copied_cache(before, len(rows))
        if self._keeps_logits:
            options["logits_to_keep"] = torch.tensor(positions or [0], device=ids.device)
        output = self.model(input_ids=ids, **options)
        logits = output.logits if self._keeps_logits else output.logits[:, positions or [0]]
        return CachedRun(logits, output[self._input] if keep else None)


ScoredTokens = tuple[list[LabelToken], Tensor]


@dataclass(frozen=True, slots=True)
class Beginning:
    """First tokens of rows, and the model's cache after them; None after no token."""

    ids: Ids = ()
    cache: Cache | None = None

    def begins(self, row: TokenRow) -> bool:
        """Return True if the row begins with these tokens and predicts nothing before their end."""
        return len(self.ids) < row.given and row.ids[: len(self.ids)] == self.ids


class BranchScorer:
    """Scores rows with a model that `try_branches` does not refuse.

    It remembers the shared beginnings of the last row of a call, because one context is asked in several calls.
    """

    def __init__(self, model: PreTrainedModel, budget: TokenBudget) -> None:
        """budget: tokens in a batch of branches, those of their beginnings included."""
        self._model = CachedModel(model)
        self._budget = budget
        self._remembered: tuple[Beginning, ...] = ()

    def score(self, rows: Sequence[TokenRow]) -> LabelScores:
        if not rows:
            return LabelScores([], 0)
        results: dict[int, list[float] | None] = {}
        computed = 0
        remembered = self._remembered
        self._remembered = ()  # frees the caches that no group of rows begins with
        for beginning, indices in _grouped(rows, remembered).items():
            start = next(one for one in remembered if one.ids == beginning) if beginning else Beginning()
            group = _Group(self._model, self._budget, start, [rows[index] for index in indices])
            scored = group.score()
            results |= zip(indices, scored.values, strict=True)
            computed += scored.computed_tokens
            above = [one for one in remembered if one.ids == start.ids[: len(one.ids)]]
            self._remembered = (*above, *group.path)
        return LabelScores([results[index] for index in range(len(rows))], computed)


def _grouped(rows: Sequence[TokenRow], remembered: Sequence[Beginning]) -> Mapping[Ids, list[int]]:
    """Group rows by the longest remembered beginning that they have."""
    groups: defaultdict[Ids, list[int]] = defaultdict(list)
    for index, row in enumerate(rows):
        known = [one.ids for one in remembered if one.begins(row)]
        groups[max(known, key=len, default=())].append(index)
    return groups


class _Group:
    """Rows after one beginning, over their prefix tree, branch by branch.

    path: the shared beginnings of the last row, the shortest first; empty before `score`.
    """

    def __init__(self, model: CachedModel, budget: TokenBudget, start: Beginning, rows: Sequence[TokenRow]) -> None:
        self._model = model
        self._budget = budget
        self._start = start
        self._rows = [_without_beginning(row, len(start.ids)) for row in rows]
        self._tree = prefix_tree([row.ids for row in self._rows], shortest=SHORTEST_SHARED)
        self._tokens_of = label_tokens(self._tree, self._rows)
        self._children = _children(self._tree)
        self._last_row = frozenset(self._tree.path(self._tree.last[-1]))
        self._scored: list[ScoredTokens] = []
        self._lost: set[int] = set()
        self.path: list[Beginning] = []

    def score(self) -> LabelScores:
        """Return the label log-probabilities of each row, and the number of tokens computed."""
        self._run_below(None, self._start)
        values = sum_label_tokens(self._rows, self._scored)
        lost = sum(self._tree.length(node) for node in self._lost)
        return LabelScores(
            [None if self._tree.last[row] in self._lost else value for row, value in enumerate(values)],
            self._tree.tokens - lost,
        )

    def _run_below(self, node: int | None, beginning: Beginning) -> None:
        """Run all nodes below a node, after the beginning that ends with it."""
        below = self._children[node]
        self._run_ends([child for child in below if not self._children[child]], beginning)
        for child in below:
            if self._children[child]:
                self._run_inner(child, beginning)

    def _run_inner(self, node: int, beginning: Beginning) -> None:
        """Run one node that others follow, and then these. Without memory for it, all of them are lost."""
        ids = self._tree.nodes[node].ids
        tokens = self._tokens_of[node]
        try:
            with reporting_out_of_memory():
                run = self._model.run([ids], self._positions([node]), beginning.cache, keep=True)
        except OutOfMemory:
            self._lost.update(range(node, self._tree.nodes[node].end))
            return
        if tokens:
            self._scored.append((tokens, self._logprobs(run.logits, [node])))
        reached = Beginning(beginning.ids + ids, run.cache)
        if node in self._last_row:
            self.path.append(reached)
        self._run_below(node, reached)

    def _run_ends(self, nodes: Sequence[int], beginning: Beginning) -> None:
        """Run the nodes that nothing follows, in batches of similar length."""

        def work(batch: Indices) -> list[ScoredTokens]:
            some = [nodes[index] for index in batch]
            ids = [self._tree.nodes[node].ids for node in some]
            with reporting_out_of_memory():
                run = self._model.run(ids, self._positions(some), beginning.cache, keep=False)
                logprobs = self._logprobs(run.logits, some)
            parts = torch.split(logprobs, [len(self._tokens_of[node]) for node in some])
            return [(self._tokens_of[node], part) for node, part in zip(some, parts, strict=True)]

        lengths = [len(beginning.ids) + len(self._tree.nodes[node].ids) for node in nodes]
        for node, scored in zip(nodes, run_packed(lengths, work, budget=self._budget), strict=True):
            if scored is None:
                self._lost.add(node)
            else:
                self._scored.append(scored)

    def _positions(self, nodes: Sequence[int]) -> list[int]:
        """Return the positions within their nodes that predict a label token, ascending."""
        starts = {node: self._tree.nodes[node].start for node in nodes}
        return sorted({token.position - starts[node] for node in nodes for token in self._tokens_of[node]})

    def _logprobs(self, logits: Tensor, nodes: Sequence[int]) -> Tensor:
        """Return log-probabilities of the nodes' label tokens in order, float32 (tokens,).

        logits: (nodes, kept positions, vocabulary).
        """
        column = {position: index for index, position in enumerate(self._positions(nodes))}
        places = [
            (row, column[token.position - self._tree.nodes[node].start], token.token)
            for row, node in enumerate(nodes)
            for token in self._tokens_of[node]
        ]
        if not places:
            return torch.zeros(0)
        row_of, column_of, token_of = torch.tensor(places, device=logits.device).T
        chosen = logits[row_of, column_of].float().log_softmax(-1)
        return chosen.gather(1, token_of[:, None])[:, 0].cpu()


def _without_beginning(row: TokenRow, length: int) -> TokenRow:
    return replace(row, ids=row.ids[length:], given=row.given - length)


def _children(tree: PrefixTree) -> defaultdict[int | None, list[int]]:
    """Return the nodes directly below each node; below None are the roots."""
    children: defaultdict[int | None, list[int]] = defaultdict(list)
    for number, node in enumerate(tree.nodes):
        children[node.parent].append(number)
    return children
