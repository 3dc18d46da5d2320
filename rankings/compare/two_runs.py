"""Two runs on the same pairs: the differences of their figures, with intervals and tests.

docs/reference/agreement.md defines each number.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.numerics import (
    DEFAULT_RANKING,
    RANKINGS,
    Comparisons,
    Figure,
    HumanScores,
    RatingTable,
    Scores,
    Undefined,
    accuracy,
    cohen_kappa,
    decide,
    first_share,
    human_preferences,
    order_agreement,
    percent_agreement,
    score,
)
from evenhand.numerics.accuracy import NO_TRUTH
from evenhand.numerics.arrays import FloatArray
from evenhand.numerics.correlation.correlations import pooled_spearman
from evenhand.numerics.significance.dependent_correlations import CorrelationTest, steiger, williams
from evenhand.numerics.significance.families import adjusted_in_family
from evenhand.numerics.significance.paired_tests import common_comparisons, mcnemar_p_value
from evenhand.refusals import Refused
from judging.models import Run
from judging.models.exclusions import require_possible
from rankings.agreement.raters import pairs_of
from rankings.compare.compared_figures import (
    ACCURACY,
    SPEARMAN,
    Measures,
    difference_fields,
    is_varied,
    measures_of,
)
from rankings.compare.comparison_of_runs import (
    FigureDifference,
    McNemar,
    PooledTest,
    PooledTests,
    RunsCompared,
    SideRow,
)
from rankings.loading import Answers, CandidateTable, People
from rankings.record_states import states_of
from rankings.repeats.noise_of_differences import NoiseOfDifference, RepeatedSide
from rankings.repeats.repeated_runs import repeats_of
from rankings.report.figures.figure_basis import NO_ORDER, ONE_ORDER
from rankings.report.report_choice import USUAL_CHOICE, ReportChoice
from rankings.report.report_rows import Sources
from rankings.report.rows_of_one_run import SCORE
from rankings.report.run_names import RunName
from rankings.report_cache import cached

COMPARED_RANKINGS = sorted(
    (name for name, ranking in RANKINGS.items() if ranking.in_comparisons),
    key=lambda name: (name != DEFAULT_RANKING, RANKINGS[name].takes == "decisions"),
)
"""Rankings by which runs are compared: the default one, then those of probabilities, then those of decisions."""
PERFECT = "the three correlations leave no room for chance"

CorrelationTester = Callable[[float, float, float, int], CorrelationTest]


@dataclass(frozen=True, slots=True)
class Side:
    """One of two runs, on the ordered pairs that both answered, in the same order on both sides.

    right: float, (n_comparisons,). The human preference for each comparison; NaN for none.
    measures: ranking -> the measures by its scores from these pairs.
    """

    run: Run
    comparisons: Comparisons
    right: FloatArray
    measures: dict[str, Measures]


def compare_runs(one: Run, other: Run, choice: ReportChoice = USUAL_CHOICE) -> RunsCompared:
    """Print the figures of two runs on the ordered pairs that both answered, and their differences, one minus other,
    with intervals and p-values.

    choice: order and exclusion of the compared pairs.
    Raises Refused if they are not two runs of one dataset and attribute, or share no pair.
    """
    require_same_question(one, other)
    require_possible(one.dataset, choice.exclusion)
    repeats = {run: repeats_of(run) for run in (one, other)}
    states = states_of([run for group in repeats.values() for run in group])
    key = ("differences", one.pk, other.pk, *states.values(), choice)
    return cached(key, lambda: _compare(one, other, choice, repeats))


def require_same_question(one: Run, other: Run) -> None:
    """Raise Refused if they are not two runs of one dataset and attribute."""
    if one.pk == other.pk:
        raise Refused(f"run: {one.pk} is named twice; name two runs")
    for kind, mine, theirs in (
        ("dataset", one.dataset, other.dataset),
        ("attribute", one.attribute, other.attribute),
    ):
        if mine != theirs:
            raise Refused(
                f'run: {one.pk} is of the {kind} "{mine.name}", {other.pk} of "{theirs.name}"; '
                f"only runs of one {kind} can be compared"
            )


def _compare(one: Run, other: Run, choice: ReportChoice, repeats: Mapping[Run, Sequence[Run]]) -> RunsCompared:
    sources = Sources(one.dataset, choice).without(one.exclusion | other.exclusion)
    answers = ((one, sources.answers(one)), (other, sources.answers(other)))
    people = sources.people(one.attribute)
    mine, theirs = measured_sides(sources.table, people, *answers)
    constant = [run for run, own in answers if not is_varied(run, pairs_of(sources.table, own), people)]
    decisions = np.stack([decide(side.comparisons.p_first) for side in (mine, theirs)])
    between = RatingTable.of_values(decisions, mine.comparisons.contexts)
    sides = [RepeatedSide(side.run, side.comparisons, repeats[side.run]) for side in (mine, theirs)]
    noise = NoiseOfDifference(sides[0], sides[1], sources)
    return RunsCompared(
        dataset=one.dataset.name,
        attribute=one.attribute.name,
        one=_side_row(mine),
        other=_side_row(theirs),
        comparisons=len(mine.comparisons),
        pairs=len(np.unique(mine.comparisons.pair_keys)),
        contexts=len(np.unique(mine.comparisons.contexts)),
        percent_agreement=percent_agreement(between),
        cohen_kappa=cohen_kappa(between),
        differences=_differences(mine, theirs, noise, [0] * bool(constant)),
        mcnemar=_mcnemar(mine, theirs),
        pooled=[_pooled_tests(name, mine.measures[name], theirs.measures[name]) for name in mine.measures],
        order=None if choice.order == "both" else choice.order,
        without=sources.left_out,
    )


def measured_sides(
    table: CandidateTable,
    people: People,
    one: tuple[Run, Answers],
    other: tuple[Run, Answers],
    *,
    rankings: Sequence[str] = COMPARED_RANKINGS,
) -> tuple[Side, Side]:
    """Return both runs on the ordered pairs that both answered. Raises Refused without a common pair.

    A scoring run has each pair in the order in which the other run asked it.
    rankings: those of `measures`. Two scoring runs have their scores instead.
    """
    n_scoring = one[0].is_scoring + other[0].is_scoring
    comparisons = [pairs_of(table, answers) for _, answers in (one, other)]
    if n_scoring == 1:
        scoring = 0 if one[0].is_scoring else 1
        comparisons[scoring] = _in_both_orders(comparisons[scoring])
    mine, theirs = common_comparisons(*comparisons)
    if not len(mine):
        raise Refused(f"run: {one[0].pk} and {other[0].pk} have answers to no ordered pair in common")
    right = human_preferences(mine, people.human.scores, people.votes)
    names = (SCORE,) if n_scoring == 2 else rankings

    def side(run: Run, answers: Answers, common: Comparisons) -> Side:
        has_human_scores = not np.isnan(people.human.scores).all()
        scores = {name: _scores(answers, common, name) if has_human_scores else _no_scores(common) for name in names}
        measures = {name: measures_of(common, right, scores[name], people.human) for name in names}
        return Side(run, common, right, measures)

    return side(*one, mine), side(*other, theirs)


def _in_both_orders(comparisons: Comparisons) -> Comparisons:
    return Comparisons(
        comparisons.n_candidates,
        np.concatenate([comparisons.first, comparisons.second]),
        np.concatenate([comparisons.second, comparisons.first]),
        np.concatenate([comparisons.p_first, 1 - comparisons.p_first]),
        comparisons.starts,
        None if comparisons.bounded is None else np.tile(comparisons.bounded, 2),
    )


def _scores(answers: Answers, common: Comparisons, ranking: str) -> Scores:
    """Rank the candidates by the common pairs. A scoring run keeps its scores of these candidates."""
    if answers.values is None:
        return score(ranking, common)
    return Scores.of_values(np.where(common.compared, answers.values, np.nan))


def _no_scores(common: Comparisons) -> Scores:
    """Return missing scores. Without human scores no figure needs them, and fits take time."""
    return Scores.of_values(np.full(common.n_candidates, np.nan))


def _side_row(side: Side) -> SideRow:
    is_scoring = side.run.is_scoring
    return SideRow(
        name=RunName.of(side.run),
        accuracy=accuracy(side.comparisons, side.right),
        p_first=Figure.missing(NO_ORDER, n=0) if is_scoring else first_share(side.comparisons),
        order_agreement=Figure.missing(ONE_ORDER, n=0) if is_scoring else order_agreement(side.comparisons),
    )


def _differences(one: Side, other: Side, noise: NoiseOfDifference, left_out: list[int]) -> list[FigureDifference]:
    """Return the differences by each figure and ranking. Each is the only test of its family."""
    pairs = [(one.measures[name], other.measures[name]) for name in one.measures]
    rows = [(ACCURACY, None, pairs[0]), *((SPEARMAN, *row) for row in zip(one.measures, pairs, strict=True))]
    differences = [adjusted_in_family(figure.differences([two]), left_out)[0] for figure, _, two in rows]
    swapped = [*ACCURACY.perm_both(pairs[:1]), *SPEARMAN.perm_both(pairs)]
    return [
        FigureDifference(
            figure=figure.name,
            ranking=ranking,
            one=figure.value(mine).value,
            other=figure.value(theirs).value,
            noise_floor=noise.floor(ranking),
            **difference_fields(difference, perm_both),
        )
        for (figure, ranking, (mine, theirs)), difference, perm_both in zip(rows, differences, swapped, strict=True)
    ]


def _mcnemar(one: Side, other: Side) -> McNemar:
    """Count where only one run is right, and test it by McNemar's exact test; a tie is not right."""
    known = ~np.isnan(one.right)
    if not known.any():
        return McNemar(0, 0, 0, None, NO_TRUTH)
    mine, theirs = (decide(side.comparisons.p_first[known]) == one.right[known] for side in (one, other))
    return McNemar(
        only_one_right=int((mine & ~theirs).sum()),
        only_other_right=int((theirs & ~mine).sum()),
        n=int(known.sum()),
        p_value=mcnemar_p_value(mine, theirs),
    )


def _pooled_tests(ranking: str, one: Measures, other: Measures) -> PooledTests:
    """Correlate both runs with people and with each other, pooled, and test by Williams and by Steiger."""
    human = one.human
    as_human = HumanScores(np.where(np.isnan(human.scores), np.nan, other.scores.values), human.contexts, human.systems)
    mine, theirs = (pooled_spearman(run.scores, human, one.recorded) for run in (one, other))
    between = pooled_spearman(one.scores, as_human, one.recorded)
    return PooledTests(
        ranking=ranking,
        one=mine.value,
        other=theirs.value,
        between=between.value,
        candidates=mine.n,
        undefined=mine.undefined,
        williams=_tested(williams, mine, theirs, between),
        steiger=_tested(steiger, mine, theirs, between),
    )


def _tested(test: CorrelationTester, one: Figure, other: Figure, between: Figure) -> PooledTest:
    """Test the difference of two correlations. `between` counts as 0 where a run scores all candidates alike."""
    if one.value is None or other.value is None:
        return PooledTest(None, None, one.undefined or other.undefined or "")
    try:
        with np.errstate(all="ignore"):
            result = test(one.value, other.value, between.value or 0.0, one.n or 0)
    except Undefined as undefined:
        return PooledTest(None, None, undefined.reason)
    if not np.isfinite([result.statistic, result.p_value]).all():
        return PooledTest(None, None, PERFECT)
    return PooledTest(result.statistic, result.p_value)
