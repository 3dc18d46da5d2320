"""Ranking curves of a judge and of human votes, for pages, commands and the HTTP API."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from typing import Annotated, Any

import numpy as np

from evenhand.numerics import (
    CURVE_SELECTIONS,
    CURVE_TITLES,
    PAIRS_SORT,
    Comparisons,
    CurveLine,
    CurvePoint,
    Debiasing,
    HumanJudgments,
    PeopleCurves,
    Undefined,
    mean_of_both_orders,
    pairs_sort_curve,
    people_curves,
    ranking_curves,
    worth_in_votes,
)
from evenhand.options import Option
from judging.models import Run
from rankings.agreement.raters import recorded_contexts
from rankings.curves.curve_records import (
    AVERAGED,
    BIASES,
    DEBIASED,
    RAW,
    CurveChoice,
    CurveReport,
    CurveValue,
    PeopleDrawn,
    Point,
    Worth,
    biases_of,
    require_drawable,
)
from rankings.record_states import State, states_of
from rankings.report.report_choice import ReportChoice
from rankings.report.report_rows import Sources
from rankings.report_cache import cached_together

HUMAN_SCORES, HELD_OUT_VOTES, VOTES = "human scores", "held-out votes", "human scores, else votes"
SYMMETRIC = "symmetric"
MEASURE_TITLES = {"spearman": "Spearman’s correlation per context", "accuracy": "accuracy of the ranking"}
NO_PAIRS_SORT_OF_PEOPLE = "votes do not follow the order in which PairS asks"


def run_curve(
    run: Run,
    answers: ReportChoice,
    *,
    ranking: Annotated[
        tuple[str, ...], Option("The rankings.", "Rankings", choices=CURVE_TITLES, if_none=f"all but {PAIRS_SORT}")
    ] = (),
    selection: Annotated[
        tuple[str, ...],
        Option(
            "The order in which comparisons are drawn.",
            "Selections",
            choices={name: name for name in CURVE_SELECTIONS},
        ),
    ] = ("random",),
    debias: Annotated[bool, Option("Debias by the threshold or the shifts of the run.", "debiased")] = False,
    both: Annotated[bool, Option("Raw and debiased.", "raw and debiased")] = False,
    average_orders: Annotated[
        bool,
        Option("Use the mean of both orders of each pair, besides --both or --debias.", "both orders averaged"),
    ] = False,
    people: Annotated[
        bool, Option("Add curves of human votes, over contexts with answers and votes.", "Show human votes")
    ] = False,
    measure: Annotated[str, Option("Agreement with people.", "Measured by", choices=MEASURE_TITLES)] = "spearman",
    draws: Annotated[int, Option("Random draws of each point.", "Draws", low=1, high=200)] = 50,
    seed: Annotated[int, Option("Seed of the draws.", "Seed", low=0, high=2**63 - 1)] = 0,
) -> CurveReport:
    """Print agreement with people against the comparisons per context, over random draws of the run's comparisons."""
    biases = biases_of(debias=debias, both=both, average_orders=average_orders)
    choice = CurveChoice(
        ranking, selection, biases, people, measure, draws, seed, answers.order, exclusion=answers.exclusion
    )
    return curve_report(run, choice)


def curve_report(run: Run, choice: CurveChoice) -> CurveReport:
    """Return agreement with people against comparisons per context, a point per curve and budget.

    An undefined curve is one point with the reason. Raises Refused if the run or the choice has no curve.
    """
    return replace(curve_reports([run], choice)[run], run=run)


def curve_reports(runs: Sequence[Run], choice: CurveChoice) -> dict[Run, CurveReport]:
    """Return the curves of several runs, from the cache or computed. Raises Refused as `curve_report`."""
    for run in runs:
        require_drawable(run)
    states = states_of(runs)
    keys: dict[Run, State] = {run: ("curve", states[run.pk], repr(choice)) for run in runs}
    reports = cached_together(keys, partial(_computed, choice=choice))
    order = None if choice.order == "both" else choice.order
    return {run: replace(report, order=order) for run, report in reports.items()}


def _computed(runs: Sequence[Run], choice: CurveChoice) -> dict[Run, CurveReport]:
    compute = _with_people if choice.people else _of_judge
    return {run: compute(run, choice) for run in runs}


@dataclass(frozen=True, slots=True)
class CurveAnswers:
    """The data of the judge's curves. debiasing: of the whole run. undefined: the reason if there are none."""

    comparisons: Comparisons
    debiasing: Debiasing
    truth: HumanJudgments
    undefined: str | None = None


def _of_judge(run: Run, choice: CurveChoice) -> CurveReport:
    sources = Sources.of_run(run, choice.answers)
    people = sources.people(run.attribute)
    has_votes = choice.measure == "accuracy" and len(people.votes) > 0
    truth = HumanJudgments(people.human.scores[None], [people.votes] if has_votes else ())
    comparisons = sources.answers(run).comparisons
    judged = CurveAnswers(_of_subsets(comparisons, sources, choice), Debiasing.of_run(comparisons), truth)
    points = list(_judge_points(judged, choice, VOTES if has_votes else HUMAN_SCORES))
    return CurveReport(points, without=sources.left_out)


def _with_people(run: Run, choice: CurveChoice) -> CurveReport:
    """Return all curves over the contexts with both answers and enough votes, so that they are comparable."""
    sources = Sources.of_run(run, choice.answers)
    people, comparisons = sources.people(run.attribute), sources.answers(run).comparisons
    own = _of_subsets(comparisons, sources, choice)
    votes = people.first_round.of_contexts(recorded_contexts(own))
    lines = [CurveLine(ranking) for ranking in choice.drawn_rankings]
    curves = people_curves(lines, votes, people.human.scores, **choice.of_draws)
    against = HELD_OUT_VOTES if curves.held_out else HUMAN_SCORES
    common = own.of_contexts(curves.contexts)
    judged = CurveAnswers(common, Debiasing.of_run(comparisons), curves.truth, curves.undefined)
    points = list(_judge_points(judged, choice, against))
    return CurveReport(
        points=points + list(_people_points(curves, choice, against)),
        people=PeopleDrawn(int(curves.contexts.sum()), len(votes.of_contexts(curves.contexts)), against),
        worth=[_worth(point, curves, choice) for point in points],
        without=sources.left_out,
    )


def _of_subsets(comparisons: Comparisons, sources: Sources, choice: CurveChoice) -> Comparisons:
    """Select the comparisons of the chosen subsets."""
    if choice.subsets is None:
        return comparisons
    return comparisons.of_contexts(np.isin(sources.table.subsets, choice.subsets))


def _judge_points(judged: CurveAnswers, choice: CurveChoice, against: str) -> Iterator[Point]:
    """Yield the points by selection; then averaged orders, always drawn symmetrically; then PairS."""
    point = partial(_point, source="judge", measure=choice.measure, against=against)
    chosen = [bias for bias in BIASES if bias in choice.biases]
    single_orders = [bias for bias in chosen if bias != AVERAGED]
    drawn = [(selection, single_orders) for selection in dict.fromkeys(choice.selections) or ("random",)]
    if AVERAGED in chosen:
        drawn.append((SYMMETRIC, [AVERAGED]))
    for selection, biases in drawn:
        lines = [(ranking, bias) for bias in biases for ranking in choice.drawn_rankings]
        if lines:
            for (ranking, bias), points in zip(lines, _curves(judged, lines, selection, choice), strict=True):
                yield from (point(ranking, selection, bias, one) for one in points)
    if PAIRS_SORT in choice.rankings:
        for bias in chosen:
            yield from (point(PAIRS_SORT, PAIRS_SORT, bias, one) for one in _pairs(judged, bias, choice))


def _point(ranking: str, selection: str, bias: str, point: CurvePoint, **labels: Any) -> Point:  # noqa: ANN401
    """Return a point of a curve. labels: source, measure and against."""
    debiased, average_orders = bias == DEBIASED, bias == AVERAGED
    return Point(ranking, selection, debiased, average_orders, **asdict(point), **labels)


def _curves(
    judged: CurveAnswers, named: Sequence[tuple[str, str]], selection: str, choice: CurveChoice
) -> list[list[CurvePoint]]:
    """Return the points of each ranking and bias."""
    missing, comparisons = judged.undefined, judged.comparisons
    try:
        if any(bias == AVERAGED for _, bias in named):
            comparisons = mean_of_both_orders(comparisons)
    except Undefined as undefined:
        missing = missing or undefined.reason
    if missing:
        return [[CurvePoint.missing(missing)] for _ in named]
    lines = [CurveLine(ranking, judged.debiasing if bias == DEBIASED else None) for ranking, bias in named]
    return ranking_curves(lines, comparisons, judged.truth, selection=selection, **choice.of_draws)


def _pairs(judged: CurveAnswers, bias: str, choice: CurveChoice) -> list[CurvePoint]:
    """Return a point for each width of the beam, or one with the reason."""
    if judged.undefined:
        return [CurvePoint.missing(judged.undefined)]
    comparisons, calls = judged.comparisons, 1
    try:
        if bias == AVERAGED:
            comparisons, calls = mean_of_both_orders(comparisons), 2
        elif bias == DEBIASED:
            comparisons = comparisons.with_p_first(judged.debiasing.p_first(comparisons.p_first))
    except Undefined as undefined:
        return [CurvePoint.missing(undefined.reason)]
    return pairs_sort_curve(comparisons, judged.truth, calls=calls, **choice.of_draws)


def _people_points(people: PeopleCurves, choice: CurveChoice, against: str) -> Iterator[Point]:
    for ranking, points in zip(choice.drawn_rankings, people.points, strict=True):
        for point in points:
            yield _point(ranking, "random", RAW, point, source="people", measure=choice.measure, against=against)


def _worth(point: Point, people: PeopleCurves, choice: CurveChoice) -> Worth:
    """Return the worth of a point of the judge in votes, by the same ranking."""
    of_ranking = dict(zip(choice.drawn_rankings, people.points, strict=True))
    of_ranking[PAIRS_SORT] = [CurvePoint.missing(NO_PAIRS_SORT_OF_PEOPLE)]
    own = CurvePoint(point.comparisons, point.mean, point.low, point.high, point.draws, point.undefined)
    shared = {field.name: getattr(point, field.name) for field in fields(CurveValue)}
    return Worth(**shared, votes=worth_in_votes(own, of_ranking[point.ranking]))
