"""The later rounds of an adaptive chunk: drawn by its answers, and noted before they are asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from judging.models import Candidate, Chunk, Comparison, Hold, Outcome, Run
from judging.services.execution.claimed_chunk import LeaseLost
from judging.services.plans.adaptive_pairs import Room, next_pairs
from judging.services.plans.decisions import P_OF_CHOICE
from judging.services.plans.pair_plan import Pair
from rankings.numerics.selection.pair_selection import most_comparisons


@dataclass(frozen=True, slots=True)
class _Context:
    """A context of a chunk: the ids of its candidates in order, and of the pairs drawn so far."""

    position: int
    candidates: list[int]
    held_out: list[Pair]
    drawn: list[Pair]

    def places(self, pairs: list[Pair]) -> list[Pair]:
        """Pairs of ids as pairs of places."""
        place = {candidate: number for number, candidate in enumerate(self.candidates)}
        return [(place[first], place[second]) for first, second in pairs]


def next_round(chunk: Chunk, hold: Hold) -> list[Pair]:
    """Draw and note what comes after every pair of a chunk is asked; empty where everything planned is drawn.

    Raises LeaseLost.
    """
    if len(chunk.pairs) >= chunk.planned:
        return []
    run, answers = chunk.run, _answers(chunk)
    more = [pair for context in _contexts(chunk) for pair in _next_of(context, run, answers)]
    chunk.pairs = [*chunk.pairs, *more]
    if not Chunk.objects.of(hold).update(pairs=chunk.pairs):
        raise LeaseLost(f"chunk {chunk.pk} was taken over")
    return more


def _next_of(context: _Context, run: Run, answers: dict[Pair, float]) -> list[Pair]:
    """The next pairs of one context, sorted, so that prompts with one beginning meet."""
    n = len(context.candidates)
    answered = [pair for pair in context.drawn if pair in answers]
    chosen = next_pairs(
        Room(n, min(run.spec["budget"], most_comparisons(run.selection, n))),
        held_out=context.places(context.held_out),
        drawn=context.places(context.drawn),
        p_first=dict(zip(context.places(answered), [answers[pair] for pair in answered], strict=True)),
        round_size=n * run.spec["adaptive"]["round_per_candidate"],
        seed=(run.seed, context.position),
    )
    return [(context.candidates[first], context.candidates[second]) for first, second in sorted(chosen)]


def _contexts(chunk: Chunk) -> Iterator[_Context]:
    """The contexts of a chunk's pairs, in order."""
    held_out = {(first, second) for first, second in chunk.held_out}
    pairs = [(first, second) for first, second in chunk.pairs]
    shown = Candidate.objects.filter(pk__in={candidate for pair in pairs for candidate in pair})
    rows = Candidate.objects.filter(context__in=shown.values("context")).order_by("context__position", "position")
    for position, group in groupby(rows.values_list("context__position", "pk"), key=itemgetter(0)):
        candidates = [pk for _, pk in group]
        own = set(candidates)
        mine = [pair for pair in pairs if pair[0] in own]
        yield _Context(
            position,
            candidates,
            held_out=[pair for pair in mine if pair in held_out],
            drawn=[pair for pair in mine if pair not in held_out],
        )


def _answers(chunk: Chunk) -> dict[Pair, float]:
    """pair -> p_first, of the pairs of a chunk that are answered; 1, 1/2 or 0 where there is only a choice."""
    firsts = {first for first, _ in chunk.pairs}
    rows = Comparison.objects.filter(run=chunk.run_id, first__in=firsts, outcome=Outcome.ANSWERED)
    answers = rows.values_list("first", "second", "p_first", "choice")
    return {
        (first, second): P_OF_CHOICE[choice] if p_first is None else p_first
        for first, second, p_first, choice in answers
    }
