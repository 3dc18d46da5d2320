"""The texts, answers and votes of the pairs on one page of answers, and the lines of their download."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.numerics.arrays import IntArray
from evenhand.report_json import shapes_of
from judging.models import Candidate, Comparison, Context, Reasoning, Run, Vote
from rankings.pair_answers.answered_pairs import AnsweredPairs
from rankings.steering_patterns.steering_matches import SteeringMatch, own_labels, steering_matches

PAIRS_AT_ONCE = 1_000


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """One comparison. decision, people_prefer: first, second or tie. right: whether they are the same."""

    context: str
    attribute: str
    first: str
    second: str
    system_first: str | None
    system_second: str | None
    outcome: str
    p_first: float | None
    decision: str | None
    people_prefer: str | None
    right: bool | None
    score_gap: float | None
    length_gap: float | None
    text: str | None


LINE_COLUMNS = tuple(shapes_of(AnswerLine))


@dataclass(frozen=True, slots=True)
class OrderAnswer:
    """The answer in one order.

    p: P(A is better) by this order; None without an answer. right: None where people have no preference.
    decision: "A", "B" or "tie"; "" without an answer. reasoning: about the pair in this order; None for none.
    """

    comparison: Comparison
    p: float | None
    decision: str
    right: bool | None
    reasoning: Reasoning | None


@dataclass(frozen=True, slots=True)
class PairSide:
    """One candidate of a pair. name: "A" or "B". votes: how many people chose it. reasoning: about it alone.

    steering: what in its text may steer a judge.
    """

    name: str
    candidate: Candidate
    votes: int
    is_preferred: bool
    reasoning: Reasoning | None
    steering: tuple[SteeringMatch, ...] = ()


@dataclass(frozen=True, slots=True)
class PairEntry:
    """A pair on the page. orders: those that were asked, A first and then B first. ties: votes for a tie."""

    context: Context
    sides: tuple[PairSide, PairSide]
    orders: tuple[OrderAnswer, ...]
    preferred: str
    ties: int
    score_gap: float | None
    length_gap: float | None


def pair_entries(run: Run, pairs: AnsweredPairs, indices: IntArray) -> list[PairEntry]:
    """Return the entries of some pairs, in their order, in a fixed number of queries."""
    comparisons = _comparisons(pairs, indices)
    candidates = {one.first_id for one in comparisons.values()} | {one.second_id for one in comparisons.values()}
    reasonings = _reasonings(run, candidates)
    votes, labels = _votes(run, candidates), own_labels(run)
    return [
        _entry(pairs, index, orders, reasonings, votes, labels)
        for index in indices.tolist()
        if (orders := _orders(pairs, index, comparisons, reasonings))
    ]


def answer_lines(run: Run, pairs: AnsweredPairs, indices: IntArray) -> Iterator[AnswerLine]:
    """Yield one line per comparison of the pairs, both orders of a pair after each other."""
    for start in range(0, len(indices), PAIRS_AT_ONCE):
        part = indices[start : start + PAIRS_AT_ONCE]
        comparisons = _comparisons(pairs, part)
        for index in part.tolist():
            for order in _orders(pairs, index, comparisons, {}):
                yield _line(run, pairs, index, order)


def _line(run: Run, pairs: AnsweredPairs, index: int, order: OrderAnswer) -> AnswerLine:
    one = order.comparison
    preferred = _preferred(pairs, index)
    first_is_a = one.pk == pairs.given[index]
    shown = {"A": "first" if first_is_a else "second", "B": "second" if first_is_a else "first", "tie": "tie", "": ""}
    return AnswerLine(
        one.context.key,
        run.attribute.name,
        one.first.key,
        one.second.key,
        system_first=one.first.system or None,
        system_second=one.second.system or None,
        outcome=one.outcome,
        p_first=one.p_first,
        decision=shown[order.decision] or None,
        people_prefer=shown[preferred] or None,
        right=order.right,
        score_gap=_known(pairs.score_gap[index]),
        length_gap=_known(abs(pairs.length_gap[index])),
        text=one.text or None,
    )


def _comparisons(pairs: AnsweredPairs, indices: IntArray) -> dict[int, Comparison]:
    ids = [*pairs.given[indices].tolist(), *pairs.swapped[indices].tolist()]
    return Comparison.objects.select_related("context", "first", "second").in_bulk([one for one in ids if one])


def _reasonings(run: Run, candidates: set[int]) -> dict[tuple[int, ...], Reasoning]:
    if not run.reasonings_planned:
        return {}
    return {one.candidate_ids: one for one in Reasoning.objects.of_run(run).filter(candidate__in=candidates)}


def _votes(run: Run, candidates: set[int]) -> Counter[tuple[frozenset[int], int]]:
    """Count the votes by pair and chosen candidate; 0 for a tie."""
    rows = Vote.objects.in_figures().filter(attribute=run.attribute_id, first__in=candidates, second__in=candidates)
    counts: Counter[tuple[frozenset[int], int]] = Counter()
    for first, second, choice in rows.values_list("first", "second", "choice"):
        counts[frozenset((first, second)), {"first": first, "second": second}.get(choice, 0)] += 1
    return counts


def _entry(
    pairs: AnsweredPairs,
    index: int,
    orders: tuple[OrderAnswer, ...],
    reasonings: Mapping[tuple[int, ...], Reasoning],
    votes: Mapping[tuple[frozenset[int], int], int],
    labels: Sequence[str],
) -> PairEntry:
    one = orders[0].comparison
    in_order = (one.first, one.second) if one.pk == pairs.given[index] else (one.second, one.first)
    key, preferred = frozenset(candidate.pk for candidate in in_order), _preferred(pairs, index)
    a, b = (
        PairSide(
            name,
            candidate,
            votes.get((key, candidate.pk), 0),
            preferred == name,
            reasonings.get((candidate.pk,)),
            tuple(steering_matches(candidate.text, labels)),
        )
        for name, candidate in zip("AB", in_order, strict=True)
    )
    return PairEntry(
        context=one.context,
        sides=(a, b),
        orders=orders,
        preferred=preferred,
        ties=votes.get((key, 0), 0),
        score_gap=_known(pairs.score_gap[index]),
        length_gap=_known(abs(pairs.length_gap[index])),
    )


def _orders(
    pairs: AnsweredPairs,
    index: int,
    comparisons: Mapping[int, Comparison],
    reasonings: Mapping[tuple[int, ...], Reasoning],
) -> tuple[OrderAnswer, ...]:
    p_given, p_swapped = pairs.p_given[index], 1 - pairs.p_swapped[index]
    return tuple(
        _order(comparisons[one], p, _preferred(pairs, index), reasonings)
        for one, p in ((int(pairs.given[index]), p_given), (int(pairs.swapped[index]), p_swapped))
        if one in comparisons
    )


def _order(
    comparison: Comparison, p: float, preferred: str, reasonings: Mapping[tuple[int, ...], Reasoning]
) -> OrderAnswer:
    decision = "" if np.isnan(p) else "tie" if p == 0.5 else "A" if p > 0.5 else "B"
    return OrderAnswer(
        comparison,
        p=_known(p),
        decision=decision,
        right=decision == preferred if preferred and decision else None,
        reasoning=reasonings.get(comparison.candidate_ids),
    )


def _preferred(pairs: AnsweredPairs, index: int) -> str:
    """Return "A" or "B"; "" where people prefer neither."""
    return {1.0: "A", 0.0: "B"}.get(float(pairs.preferred[index]), "")


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
