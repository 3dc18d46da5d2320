"""Two runs on the same pairs: by how much do their judges differ, and is that more than chance?

docs/agreement.md says what each number is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from judging.exceptions import Refused
from judging.models import Run
from rankings.agreement.raters import pairs_of
from rankings.compare.pooled_tests import pooled_tests
from rankings.loading import Answers, CandidateTable, People
from rankings.numerics import (
    COEFFICIENTS,
    Comparisons,
    Figure,
    HumanScores,
    RatingTable,
    Scores,
    Swaps,
    accuracy,
    accuracy_difference,
    cohen_kappa,
    correlate,
    correlation_difference,
    decide,
    holm,
    order_agreement,
    p_first,
    percent_agreement,
    perm_both_p_values,
    score,
    truth,
)
from rankings.numerics.accuracy import NO_TRUTH
from rankings.numerics.arrays import BoolArray, FloatArray
from rankings.numerics.correlation.correlations import ALL_SKIPPED
from rankings.numerics.significance.judge_differences import common_comparisons
from rankings.numerics.significance.paired_tests import Difference, mcnemar_p_value
from rankings.report.figure_json import INTERVAL, OF_CORRELATIONS, figure
from rankings.report.report_rows import Sources, name_of
from rankings.report.run_figures import NO_ORDER, ONE_ORDER, SCORE
from rankings.report_cache import kept, states_of

RANKINGS = ("average-probability", "win-ratio")

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two runs, on what both answered.

    comparisons: the ordered pairs that both answered, in the same order on both sides.
    scores: ranking -> its scores from these pairs.
    """

    run: Run
    comparisons: Comparisons
    scores: dict[str, Scores]


def compare_runs(one: Run, other: Run) -> Row:
    """The figures of both runs on the ordered pairs that both answered, and their differences, one minus other.

    Raises Refused where they are not two runs of one dataset and attribute, or share no pair.
    """
    require_same_question(one, other)
    states = states_of([one, other])
    return kept(("differences", states[one.pk], states[other.pk]), lambda: _compare(one, other))


def require_same_question(one: Run, other: Run) -> None:
    """Raises Refused where they are not two runs of one dataset and attribute."""
    if one.pk == other.pk:
        raise Refused(f"run: {one.pk} is named twice; name two runs")
    if one.dataset_id != other.dataset_id:
        raise Refused(
            f'run: {one.pk} is of the dataset "{one.dataset.name}", {other.pk} of "{other.dataset.name}"; '
            "only runs of one dataset can be compared"
        )
    if one.attribute_id != other.attribute_id:
        raise Refused(
            f'run: {one.pk} is of the attribute "{one.attribute.name}", {other.pk} of "{other.attribute.name}"; '
            "only runs of one attribute can be compared"
        )


def _compare(one: Run, other: Run) -> Row:
    sources = Sources(one.dataset)
    people = sources.people(one.attribute)
    mine, theirs = sides(sources.table, (one, sources.answers(one)), (other, sources.answers(other)))
    comparisons = mine.comparisons
    right = truth(comparisons, people.human.scores, people.votes)
    recorded = np.zeros(comparisons.n_contexts, dtype=bool)
    recorded[comparisons.contexts] = True
    return {
        "dataset": one.dataset.name,
        "attribute": one.attribute.name,
        "one": _side(mine, right),
        "other": _side(theirs, right),
        "comparisons": len(comparisons),
        "pairs": len(np.unique(comparisons.pair_keys)),
        "contexts": int(recorded.sum()),
        **_agreement(mine, theirs),
        "differences": _adjusted(list(_differences(mine, theirs, people, right, recorded))),
        "mcnemar": _mcnemar(mine, theirs, right),
        "pooled": [
            {"ranking": ranking, **pooled_tests(mine.scores[ranking], theirs.scores[ranking], people.human, recorded)}
            for ranking in mine.scores
        ],
    }


def sides(
    table: CandidateTable, one: tuple[Run, Answers], other: tuple[Run, Answers], *, rankings: Sequence[str] = RANKINGS
) -> tuple[Side, Side]:
    """Both runs on the ordered pairs that both answered. Raises Refused where there is none.

    rankings: by which both are scored, unless both are runs of scores.

    Two scores say the same in both orders, so a run of scores has every pair in the order in which the other asked it.
    """
    twice = one[0].is_scoring != other[0].is_scoring
    mine, theirs = common_comparisons(
        *(
            _in_both_orders(pairs_of(table, a)) if twice and run.is_scoring else pairs_of(table, a)
            for run, a in (one, other)
        )
    )
    if not len(mine):
        raise Refused(f"run: {one[0].pk} and {other[0].pk} have answers to no ordered pair in common")
    taken = (SCORE,) if one[0].is_scoring and other[0].is_scoring else rankings
    return (
        Side(one[0], mine, {ranking: _scores(one[1], mine, ranking) for ranking in taken}),
        Side(other[0], theirs, {ranking: _scores(other[1], theirs, ranking) for ranking in taken}),
    )


def _in_both_orders(comparisons: Comparisons) -> Comparisons:
    return Comparisons(
        comparisons.n_candidates,
        np.concatenate([comparisons.first, comparisons.second]),
        np.concatenate([comparisons.second, comparisons.first]),
        np.concatenate([comparisons.p_first, 1 - comparisons.p_first]),
        comparisons.starts,
    )


def _scores(answers: Answers, common: Comparisons, ranking: str) -> Scores:
    """By a ranking of the common pairs; of a run of scores, its scores of the candidates in these pairs."""
    if answers.values is None:
        return score(ranking, common)
    return Scores.given(np.where(common.compared, answers.values, np.nan))


def _side(side: Side, right: FloatArray) -> Row:
    order = None if not side.run.is_scoring else Figure.missing(NO_ORDER, n=0)
    both = None if not side.run.is_scoring else Figure.missing(ONE_ORDER, n=0)
    return name_of(side.run) | {
        "accuracy": figure(accuracy(side.comparisons, right), *INTERVAL),
        "p_first": figure(order or p_first(side.comparisons), *INTERVAL),
        "order_agreement": figure(both or order_agreement(side.comparisons), "n"),
    }


def _agreement(one: Side, other: Side) -> Row:
    """How often the two decide the same, over the common ordered pairs."""
    decisions = np.stack([decide(side.comparisons.p_first) for side in (one, other)])
    table = RatingTable.of_values(decisions, one.comparisons.contexts)
    return {
        "percent_agreement": figure(percent_agreement(table), *INTERVAL),
        "cohen_kappa": figure(cohen_kappa(table), *INTERVAL),
    }


def _differences(
    one: Side, other: Side, people: People, right: FloatArray, recorded: BoolArray
) -> Iterator[tuple[Row, Difference]]:
    """What a difference is of, with the p-value of swapped scores, and the difference."""
    mine, theirs = one.comparisons, other.comparisons
    values = {"one": accuracy(mine, right).value, "other": accuracy(theirs, right).value}
    difference = accuracy_difference(mine, theirs, people.human.scores, people.votes)
    yield {"figure": "accuracy", "ranking": None, **values} | _swapped(OF_CORRELATIONS), _or_why(difference, NO_TRUTH)
    swaps = [Swaps.of(one.scores[ranking], other.scores[ranking], people.human, recorded) for ranking in one.scores]
    for ranking, swapped in zip(one.scores, perm_both_p_values(swaps), strict=True):
        values = {
            "one": _per_context(one.scores[ranking], people.human, recorded),
            "other": _per_context(other.scores[ranking], people.human, recorded),
        }
        difference = correlation_difference(
            COEFFICIENTS["spearman"], one.scores[ranking], other.scores[ranking], people.human, recorded
        )
        yield {"figure": "spearman", "ranking": ranking, **values} | _swapped(swapped), _or_why(difference, ALL_SKIPPED)


def _swapped(p_value: Figure) -> Row:
    return {"perm_both": figure(p_value, "n")}


def _or_why(difference: Difference, reason: str) -> Difference:
    return Difference.missing(reason) if difference.value is None else difference


def _per_context(scores: Scores, human: HumanScores, recorded: BoolArray) -> float | None:
    return correlate(scores, human, recorded)["spearman"].per_context


def _adjusted(found: Sequence[tuple[Row, Difference]]) -> list[Row]:
    """The differences, each with its p-value as it is and adjusted by Holm for the number of them."""
    p_values = [difference.p_value for _, difference in found if difference.p_value is not None]
    adjusted = iter(holm(np.array(p_values, dtype=np.float64)).tolist())
    return [row | _difference(difference, adjusted) for row, difference in found]


def _difference(difference: Difference, adjusted: Iterator[float]) -> Row:
    told = {
        "difference": difference.value,
        "low": difference.low,
        "high": difference.high,
        "p_value": difference.p_value,
        "p_value_holm": None if difference.p_value is None else next(adjusted),
        "contexts": difference.n,
    }
    return told if difference.undefined is None else told | {"undefined": difference.undefined}


def _mcnemar(one: Side, other: Side, right: FloatArray) -> Row:
    """How often only one of the two is right, and McNemar's exact test of it; a tie is not right."""
    known = ~np.isnan(right)
    if not known.any():
        return {"only_one_right": 0, "only_other_right": 0, "n": 0, "p_value": None, "undefined": NO_TRUTH}
    mine, theirs = (decide(side.comparisons.p_first[known]) == right[known] for side in (one, other))
    return {
        "only_one_right": int((mine & ~theirs).sum()),
        "only_other_right": int((theirs & ~mine).sum()),
        "n": int(known.sum()),
        "p_value": mcnemar_p_value(mine, theirs),
    }
