"""The ordered pairs or single candidates that a run asks about, in chunks, drawn before the first answer.

An adaptive run draws its later rounds in services/execution/chunk_rounds.py.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.numerics.selection.pair_selection import ANCHOR, most_comparisons, pairs_with_anchors, select_pairs
from evenhand.numerics.selection.pairs_sort import PAIRS_SORT
from evenhand.numerics.selection.until_sure import MOST_CANDIDATES_UNTIL_SURE, UNTIL_SURE
from evenhand.refusals import Refused, raise_if_any
from judging.models import Candidate, Dataset, Exclusion
from judging.models.runs import NULL_PAIRS
from judging.services.plans.adaptive_pairs import (
    ROUND_PER_CANDIDATE,
    ContextBudget,
    PositionPair,
    count_held_out_pairs,
    draw_held_out_pairs,
    next_adaptive_pairs,
    next_pairs_of_sort,
    next_pairs_of_unsure,
)
from judging.services.plans.selection_settings import EVERY_PAIR, SelectionSettings, selection_problems

SMALLEST_CHUNK = 100
LARGEST_CHUNK = 2_000

CandidatePair = tuple[int, int]
"""Ids of two candidates, in the order shown."""


@dataclass(frozen=True, slots=True)
class PlanSize:
    """The size of a planned run.

    contexts: those with two or more candidates; in a scoring run, all. candidates: theirs.
    comparisons: in a scoring run, scores. held_out: comparisons of pairs that an adaptive run holds out.
    small_contexts: contexts in which the exclusion of the settings leaves fewer than two candidates.
    without_anchor: contexts that lack a text of the anchor, or have no other.
    """

    contexts: int
    candidates: int
    comparisons: int
    held_out: int = 0
    small_contexts: int = 0
    without_anchor: int = 0


@dataclass(frozen=True, slots=True)
class PlannedChunk:
    """The pairs of one chunk; in a scoring run, single candidates.

    planned: comparisons of the chunk; more than `pairs` if later rounds add to them.
    held_out: those of `pairs` that are kept for evaluation.
    """

    pairs: tuple[tuple[int, ...], ...]
    planned: int
    held_out: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class RunPlan:
    """The chunks of a run."""

    chunks: tuple[PlannedChunk, ...]

    @property
    def planned(self) -> int:
        return sum(chunk.planned for chunk in self.chunks)

    @property
    def candidates(self) -> int:
        """Number of candidates. Later rounds add none: the first round includes every candidate."""
        return len({candidate for chunk in self.chunks for pair in chunk.pairs for candidate in pair})


@dataclass(frozen=True, slots=True)
class _PlannedContext:
    """A context: its position in the dataset, the ids of its candidates in order, and the positions of the anchors."""

    position: int
    candidates: tuple[int, ...]
    anchors: tuple[int, ...] = ()

    def to_ids(self, pairs: Iterable[PositionPair]) -> list[CandidatePair]:
        """Turn positions into candidate ids; sorted, so that prompts with the same beginning are neighbours."""
        return [(self.candidates[first], self.candidates[second]) for first, second in sorted(pairs)]


def plan_size(dataset: Dataset, *, selection: SelectionSettings = EVERY_PAIR) -> PlanSize:
    """Count what a run would ask. Raises Refused like `make_plan`."""
    contexts = _load_contexts(dataset, selection)
    _require_possible(selection, contexts)
    comparable = _comparable(contexts, selection)
    budgets = [_context_budget(context, selection) for context in comparable]
    return PlanSize(
        contexts=len(budgets),
        candidates=sum(context.n_candidates for context in budgets),
        comparisons=sum(context.budget for context in budgets),
        held_out=2 * sum(count_held_out_pairs(budgets, share=selection.held_out_share)),
        small_contexts=_count_small_contexts(dataset, selection, contexts),
        without_anchor=len(_of_several(contexts)) - len(comparable) if selection.rule == ANCHOR else 0,
    )


def make_plan(dataset: Dataset, *, selection: SelectionSettings) -> RunPlan:
    """Draw the pairs of a run. The same dataset and settings give the same pairs.

    Raises Refused with every problem of the settings for this dataset.
    """
    contexts = _load_contexts(dataset, selection)
    _require_possible(selection, contexts)
    comparable = _comparable(contexts, selection)
    if selection.is_adaptive:
        return RunPlan(tuple(_join_contexts(_first_rounds(comparable, selection))))
    chunks = _split_into_chunks([_select_pairs(context, selection) for context in comparable])
    return RunPlan(tuple(PlannedChunk(pairs, len(pairs)) for pairs in chunks))


def scoring_size(dataset: Dataset, *, selection: SelectionSettings) -> PlanSize:
    """Count what a scoring run would ask: each candidate alone. Raises Refused if there is nothing to score."""
    contexts = _load_contexts(dataset, selection)
    if not contexts:
        raise Refused("there is nothing to score: no context has a candidate")
    candidates = sum(len(context.candidates) for context in contexts)
    small = _count_small_contexts(dataset, selection, contexts)
    return PlanSize(contexts=len(contexts), candidates=candidates, comparisons=candidates, small_contexts=small)


def make_scoring_plan(dataset: Dataset, *, selection: SelectionSettings) -> RunPlan:
    """Put every candidate into a chunk, context by context."""
    contexts = _load_contexts(dataset, selection)
    items = [(candidate,) for context in contexts for candidate in context.candidates]
    parts = [tuple(items[start : start + LARGEST_CHUNK]) for start in range(0, len(items), LARGEST_CHUNK)]
    return RunPlan(tuple(PlannedChunk(part, len(part)) for part in parts))


def _load_contexts(dataset: Dataset, selection: SelectionSettings) -> list[_PlannedContext]:
    left_out = selection.exclusion.matches() if selection.exclusion else None
    by_context = dataset.candidates_by_context(limit=selection.contexts, left_out=left_out)
    anchors = _anchor_ids(dataset, selection)
    return [
        _PlannedContext(
            position, candidates, tuple(place for place, candidate in enumerate(candidates) if candidate in anchors)
        )
        for position, candidates in by_context.items()
    ]


def _anchor_ids(dataset: Dataset, selection: SelectionSettings) -> frozenset[int]:
    if selection.rule != ANCHOR:
        return frozenset()
    return frozenset(
        Candidate.objects.filter(context__dataset=dataset, system=selection.anchor).values_list("pk", flat=True)
    )


def _count_small_contexts(dataset: Dataset, selection: SelectionSettings, contexts: Sequence[_PlannedContext]) -> int:
    """Count the contexts that lost their comparisons because systems are left out. contexts: without them."""
    if not selection.exclusion.systems:
        return 0
    only_contexts = Exclusion(contexts=selection.exclusion.contexts).matches()
    before = dataset.candidates_by_context(left_out=only_contexts)
    last = contexts[-1].position if selection.contexts is not None and contexts else max(before, default=0)
    judged = (candidates for position, candidates in before.items() if position <= last)
    return sum(len(candidates) > 1 for candidates in judged) - len(_of_several(contexts))


def _require_possible(selection: SelectionSettings, contexts: list[_PlannedContext]) -> None:
    raise_if_any(selection_problems(selection))
    largest = max((len(context.candidates) for context in contexts), default=0)
    if selection.rule == NULL_PAIRS and contexts:
        return
    if largest < 2:
        raise Refused("there is nothing to compare: no context has two candidates")
    if selection.rule == UNTIL_SURE and largest > MOST_CANDIDATES_UNTIL_SURE:
        raise Refused(
            f"selection: {UNTIL_SURE} — it takes up to {MOST_CANDIDATES_UNTIL_SURE} candidates a context, and the "
            f"largest has {largest}; choose d-optimal"
        )
    if not _comparable(contexts, selection):
        raise Refused(
            f'anchor: there is nothing to compare with "{selection.anchor}"; no context has its text and another'
        )
    most = most_comparisons(selection.rule, largest)
    if selection.comparisons is not None and selection.comparisons > most:
        raise Refused(
            f'comparisons: {selection.comparisons} — "{selection.rule}" can make at most {most} in the largest context '
            f"({largest} candidates)"
        )


def _comparable(contexts: Iterable[_PlannedContext], selection: SelectionSettings) -> list[_PlannedContext]:
    """Return the contexts with a pair to ask."""
    if selection.rule == NULL_PAIRS:
        return list(contexts)
    several = _of_several(contexts)
    if selection.rule != ANCHOR:
        return several
    return [context for context in several if 0 < len(context.anchors) < len(context.candidates)]


def _of_several(contexts: Iterable[_PlannedContext]) -> list[_PlannedContext]:
    return [context for context in contexts if len(context.candidates) > 1]


def _context_budget(context: _PlannedContext, selection: SelectionSettings) -> ContextBudget:
    """Return the context's comparisons: the requested budget, or all that the rule allows if those are fewer."""
    n = len(context.candidates)
    if selection.rule == ANCHOR:
        return ContextBudget(n, 2 * len(context.anchors) * (n - len(context.anchors)))
    most = n if selection.rule == NULL_PAIRS else most_comparisons(selection.rule, n)
    return ContextBudget(n, most if selection.comparisons is None else min(selection.comparisons, most))


def _select_pairs(context: _PlannedContext, selection: SelectionSettings) -> list[CandidatePair]:
    n = len(context.candidates)
    if selection.rule == NULL_PAIRS:
        return context.to_ids((place, place) for place in range(n))
    if selection.rule == ANCHOR:
        chosen = pairs_with_anchors(np.array(context.anchors), n)
        return context.to_ids(zip(chosen.first.tolist(), chosen.second.tolist(), strict=True))
    budget = None if selection.comparisons is None else _context_budget(context, selection).budget
    chosen = select_pairs(selection.rule, n, budget, np.random.default_rng([selection.seed, context.position]))
    return context.to_ids(zip(chosen.first.tolist(), chosen.second.tolist(), strict=True))


def _first_rounds(contexts: Sequence[_PlannedContext], selection: SelectionSettings) -> Iterator[PlannedChunk]:
    """Yield each context's held-out pairs and its first round, which needs no answers."""
    budgets = [_context_budget(context, selection) for context in contexts]
    numbers = count_held_out_pairs(budgets, share=selection.held_out_share)
    for context, budget, number in zip(contexts, budgets, numbers, strict=True):
        seed = (selection.seed, context.position)
        if selection.rule == PAIRS_SORT:
            first = next_pairs_of_sort(budget.n_candidates, p_first={}, seed=seed)
            yield PlannedChunk(tuple(context.to_ids(first)), budget.budget)
            continue
        if selection.rule == UNTIL_SURE:
            first = next_pairs_of_unsure(budget, drawn=(), p_first={}, bound=selection.sure_bound, seed=seed)
            yield PlannedChunk(tuple(context.to_ids(first)), budget.budget)
            continue
        held_out = draw_held_out_pairs(budget.n_candidates, number, seed=seed)
        size = ROUND_PER_CANDIDATE * budget.n_candidates
        first = next_adaptive_pairs(budget, held_out=held_out, drawn=(), p_first={}, round_size=size, seed=seed)
        yield PlannedChunk(tuple(context.to_ids([*held_out, *first])), budget.budget, tuple(context.to_ids(held_out)))


def _join_contexts(contexts: Iterable[PlannedChunk]) -> Iterator[PlannedChunk]:
    """Join small contexts into one chunk. No context is split, because its rounds follow each other."""
    joined = PlannedChunk((), 0)
    for context in contexts:
        joined = PlannedChunk(
            joined.pairs + context.pairs, joined.planned + context.planned, joined.held_out + context.held_out
        )
        if len(joined.pairs) >= SMALLEST_CHUNK:
            yield joined
            joined = PlannedChunk((), 0)
    if joined.pairs:
        yield joined


def _split_into_chunks(contexts: list[list[CandidatePair]]) -> Iterator[tuple[CandidatePair, ...]]:
    """Join small contexts and split large ones, so that a chunk takes seconds to minutes."""
    joined: list[CandidatePair] = []
    for pairs in contexts:
        joined += pairs
        while len(joined) > LARGEST_CHUNK:
            yield tuple(joined[:LARGEST_CHUNK])
            joined = joined[LARGEST_CHUNK:]
        if len(joined) >= SMALLEST_CHUNK:
            yield tuple(joined)
            joined = []
    if joined:
        yield tuple(joined)
