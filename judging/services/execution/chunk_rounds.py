"""Later rounds of an adaptive run's chunk: draws the next pairs by the stored answers, and stores them before asking.

The choice of the pairs itself is in services/plans/adaptive_pairs.py.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from django.db import transaction
from django.db.models import F

from evenhand.numerics.selection.pair_selection import most_comparisons
from evenhand.numerics.selection.pairs_sort import PAIRS_SORT
from evenhand.numerics.selection.until_sure import UNTIL_SURE
from judging.models import Candidate, Chunk, Comparison, Lease, Outcome, Run
from judging.models.comparisons import P_FIRST_OF_CHOICE
from judging.services.execution.claimed_chunk import LeaseLost
from judging.services.plans.adaptive_pairs import (
    ContextBudget,
    next_adaptive_pairs,
    next_pairs_of_sort,
    next_pairs_of_unsure,
)
from judging.services.plans.run_plan import CandidatePair


@dataclass(frozen=True, slots=True)
class _ChunkContext:
    """A context of a chunk: its position in the dataset, its candidates' ids in order, and its pairs so far."""

    position: int
    candidates: list[int]
    held_out: list[CandidatePair]
    drawn: list[CandidatePair]


def draw_next_round(chunk: Chunk, lease: Lease) -> list[CandidatePair]:
    """Draw and store the next round of a chunk whose pairs are all asked; empty once its plan is complete.

    Raises LeaseLost.
    """
    if chunk.run.selection == PAIRS_SORT:
        return _draw_for_sort(chunk, lease)
    if chunk.run.selection == UNTIL_SURE:
        return _draw_until_sure(chunk, lease)
    if len(chunk.pairs) >= chunk.planned:
        return []
    run, p_first = chunk.run, _load_p_first(chunk)
    pairs = [pair for context in _load_contexts(chunk) for pair in _next_pairs(context, run, p_first)]
    _store(chunk, lease, pairs, planned=chunk.planned)
    return pairs


def _draw_for_sort(chunk: Chunk, lease: Lease) -> list[CandidatePair]:
    """Draw the pairs that the sorts of a chunk's contexts need next. Once they need none, the plan is what was asked.

    A pair without an answer counts as a tie for the sort, so that the sort goes on.
    """
    asked_pairs = [(first, second) for first, second in chunk.pairs]
    p_first = dict.fromkeys(asked_pairs, 0.5) | _load_p_first(chunk)
    pairs = [pair for context in _load_contexts(chunk) for pair in _next_pairs_of_sort(context, chunk.run, p_first)]
    _store_open_ended(chunk, lease, pairs)
    return pairs


def _draw_until_sure(chunk: Chunk, lease: Lease) -> list[CandidatePair]:
    """Draw the next pairs of the contexts that are not sure yet. Once all are, the plan is what was asked."""
    p_first = _load_p_first(chunk)
    pairs = [pair for context in _load_contexts(chunk) for pair in _next_pairs_of_unsure(context, chunk.run, p_first)]
    _store_open_ended(chunk, lease, pairs)
    return pairs


def _next_pairs_of_unsure(context: _ChunkContext, run: Run, p_first: dict[CandidatePair, float]) -> list[CandidatePair]:
    number = {candidate: position for position, candidate in enumerate(context.candidates)}
    pairs = next_pairs_of_unsure(
        _budget(run, len(number)),
        drawn=[(number[first], number[second]) for first, second in context.drawn],
        p_first={(number[pair[0]], number[pair[1]]): p_first[pair] for pair in context.drawn if pair in p_first},
        bound=run.spec["adaptive"]["bound"],
        seed=(run.seed, context.position),
    )
    return [(context.candidates[first], context.candidates[second]) for first, second in sorted(pairs)]


def _budget(run: Run, n_candidates: int) -> ContextBudget:
    most = most_comparisons(run.selection, n_candidates)
    wanted = run.spec["comparisons"]
    return ContextBudget(n_candidates, most if wanted is None else min(wanted, most))


def _store_open_ended(chunk: Chunk, lease: Lease, pairs: list[CandidatePair]) -> None:
    """Store further pairs of a chunk whose number of pairs is not known beforehand. Raises LeaseLost."""
    asked = len(chunk.pairs) + len(pairs)
    _store(chunk, lease, pairs, planned=max(chunk.planned, asked) if pairs else asked)


def _next_pairs_of_sort(context: _ChunkContext, run: Run, p_first: dict[CandidatePair, float]) -> list[CandidatePair]:
    number = {candidate: position for position, candidate in enumerate(context.candidates)}
    answers = {(number[pair[0]], number[pair[1]]): p_first[pair] for pair in context.drawn}
    pairs = next_pairs_of_sort(len(number), p_first=answers, seed=(run.seed, context.position))
    return [(context.candidates[first], context.candidates[second]) for first, second in sorted(pairs)]


def _store(chunk: Chunk, lease: Lease, pairs: list[CandidatePair], *, planned: int) -> None:
    """Store further pairs of a chunk, and its plan. Raises LeaseLost."""
    further, before = planned - chunk.planned, len(chunk.pairs)
    chunk.pairs, chunk.planned = [*chunk.pairs, *pairs], planned
    if not further and len(chunk.pairs) == before:
        return
    with transaction.atomic():
        if not Chunk.objects.of(lease).update(pairs=chunk.pairs, planned=planned):
            raise LeaseLost(f"chunk {chunk.pk} was taken over")
        if further:
            Run.objects.filter(pk=chunk.run_id).update(planned=F("planned") + further)


def _next_pairs(context: _ChunkContext, run: Run, p_first: dict[CandidatePair, float]) -> list[CandidatePair]:
    """Return the next pairs of a context; sorted, so that prompts with the same beginning are neighbours."""
    n = len(context.candidates)
    number = {candidate: position for position, candidate in enumerate(context.candidates)}
    chosen = next_adaptive_pairs(
        _budget(run, n),
        held_out=[(number[first], number[second]) for first, second in context.held_out],
        drawn=[(number[first], number[second]) for first, second in context.drawn],
        p_first={(number[pair[0]], number[pair[1]]): p_first[pair] for pair in context.drawn if pair in p_first},
        round_size=n * run.spec["adaptive"]["round_per_candidate"],
        seed=(run.seed, context.position),
    )
    return [(context.candidates[first], context.candidates[second]) for first, second in sorted(chosen)]


def _load_contexts(chunk: Chunk) -> Iterator[_ChunkContext]:
    """Yield the contexts of a chunk's pairs, in the dataset's order."""
    held_out = {(first, second) for first, second in chunk.held_out}
    pairs = [(first, second) for first, second in chunk.pairs]
    asked = Candidate.objects.filter(pk__in={candidate for pair in pairs for candidate in pair})
    members_of = Candidate.objects.filter(context__in=asked.values("context")).exclude(chunk.run.exclusion.matches())
    rows = members_of.order_by("context__position", "position")
    for position, group in groupby(rows.values_list("context__position", "pk"), key=itemgetter(0)):
        candidates = [pk for _, pk in group]
        members = set(candidates)
        context_pairs = [pair for pair in pairs if pair[0] in members]
        yield _ChunkContext(
            position,
            candidates,
            held_out=[pair for pair in context_pairs if pair in held_out],
            drawn=[pair for pair in context_pairs if pair not in held_out],
        )


def _load_p_first(chunk: Chunk) -> dict[CandidatePair, float]:
    """Load pair -> p_first of the chunk's answered pairs; an answer with a choice only counts 1, 1/2 or 0."""
    firsts = {first for first, _ in chunk.pairs}
    rows = Comparison.objects.filter(run=chunk.run_id, first__in=firsts, outcome=Outcome.ANSWERED)
    answers = rows.values_list("first", "second", "p_first", "choice")
    return {
        (first, second): P_FIRST_OF_CHOICE[choice] if p_first is None else p_first
        for first, second, p_first, choice in answers
    }
