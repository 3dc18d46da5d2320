"""Ranking curves of a judge and of human votes, for pages, commands and the HTTP API."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from typing import Annotated, Any, Literal

from judging.exceptions import Refused, did_you_mean
from judging.models import NOTHING_LEFT_OUT, Exclusion, Run
from rankings.agreement.raters import recorded_contexts
from rankings.numerics import (
    CURVE_MEASURES,
    CURVE_RANKINGS,
    CURVE_SELECTIONS,
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
from rankings.report.left_out import LeftOutParts, with_left_out
from rankings.report.long_lines import names_of
from rankings.report.report_choice import Order, ReportChoice
from rankings.report.report_json import Help, IfAny, PlainFigure
from rankings.report.report_rows import Sources
from rankings.report.run_names import RunName
from rankings.report_cache import State, cached_together, states_of
from rankings.tables.long_form import Line, LongForm

MOST_DRAWS = 1_000
HUMAN_SCORES, HELD_OUT_VOTES, VOTES = "human scores", "held-out votes", "human scores, else votes"
RAW, DEBIASED, AVERAGED = BIASES = ("raw", "debiased", "averaged")
"""p_first raw, debiased by the position bias of the run, or averaged over both orders of each pair."""
SYMMETRIC = "symmetric"
CURVE_COLUMNS = ("source", "ranking", "selection", "bias", "beam", "comparisons")
NO_PAIRS_SORT_OF_PEOPLE = "votes do not follow the order in which PairS asks"


@dataclass(frozen=True)
class CurveValue:
    """Agreement with people at one number of comparisons, on the curve of a ranking, a selection and a bias."""

    ranking: str
    selection: str
    debiased: bool
    average_orders: bool
    comparisons: float
    mean: float | None
    undefined: IfAny[str]
    beam: IfAny[int]

    @property
    def curve(self) -> tuple[str, str, bool, bool]:
        """Return the key of the curve."""
        return self.ranking, self.selection, self.debiased, self.average_orders


@dataclass(frozen=True)
class Point(CurveValue):
    """A point of a curve. The fields of numbers are those of `CurvePoint`.

    measure: of CURVE_MEASURES. against: the human judgments that agreement is measured with.
    """

    low: float | None
    high: float | None
    draws: int
    source: Literal["judge", "people"]
    measure: str
    against: str


@dataclass(frozen=True)
class Worth(CurveValue):
    """A point of the judge, and the number of votes per context that equals it."""

    votes: PlainFigure


@dataclass(frozen=True)
class PeopleDrawn:
    """The data of the human curves."""

    contexts: int
    votes: int
    against: str


@dataclass(frozen=True)
class CurveReport:
    """The points of the curves of one run; with human votes, the worth of each point of the judge in votes."""

    points: list[Point]
    people: IfAny[PeopleDrawn] = None
    worth: IfAny[list[Worth]] = None
    order: Annotated[IfAny[Literal["given"]], Help("Only comparisons in the dataset's order were read.")] = None
    without: Annotated[IfAny[LeftOutParts], Help("What is left out, by the report or by the run.")] = None


@dataclass(frozen=True, slots=True)
class CurveChoice:
    """The curves to draw.

    rankings: of CURVE_RANKINGS, or PAIRS_SORT; default: all of CURVE_RANKINGS. selections: default: `random`.
    biases: of BIASES. people: add curves of human votes. measure: of CURVE_MEASURES.
    order: `given` draws only from comparisons in the dataset's order of candidates.
    exclusion: systems and contexts that are left out.
    """

    rankings: tuple[str, ...] = ()
    selections: tuple[str, ...] = ()
    biases: tuple[str, ...] = (RAW,)
    people: bool = False
    measure: str = "spearman"
    draws: int = 50
    seed: int = 0
    order: Order = "both"
    exclusion: Exclusion = NOTHING_LEFT_OUT

    @property
    def answers(self) -> ReportChoice:
        """Return the answers from which the curves are drawn."""
        return ReportChoice(order=self.order, exclusion=self.exclusion)

    @property
    def drawn_rankings(self) -> tuple[str, ...]:
        """Return the rankings of drawn comparisons, each once, in the order given."""
        return tuple(ranking for ranking in dict.fromkeys(self.rankings or CURVE_RANKINGS) if ranking != PAIRS_SORT)

    @property
    def drawn_selections(self) -> tuple[str, ...]:
        """Return the selections, each once, in the order given."""
        return tuple(dict.fromkeys(self.selections)) or ("random",)

    @property
    def of_draws(self) -> dict[str, Any]:
        """Return the settings that all curves share."""
        return {"measure": self.measure, "draws": self.draws, "seed": self.seed}


def curve_long_form(run: Run, report: CurveReport) -> LongForm:
    """Return every point of a curve, and the votes that equal it. n: the number of draws."""
    form = LongForm(lambda: _long_lines(names_of(RunName.of(run)), report), CURVE_COLUMNS)
    return with_left_out(form, report.without)


def _long_lines(names: Line, report: CurveReport) -> Iterator[Line]:
    for point in report.points:
        yield {**names, **_curve_columns(point), **_point_columns(point)}
    for one in report.worth or ():
        yield {**names, **_curve_columns(one), "source": "judge", "figure": "votes", **vars(one.votes)}


def _curve_columns(point: Point | Worth) -> Line:
    bias = AVERAGED if point.average_orders else DEBIASED if point.debiased else RAW
    return {
        "ranking": point.ranking,
        "selection": point.selection,
        "bias": bias,
        "beam": point.beam,
        "comparisons": point.comparisons,
        "variant": f"{point.ranking}.{point.selection}.{bias}",
    }


def _point_columns(point: Point) -> Line:
    return {
        "source": point.source,
        "figure": point.measure,
        "value": point.mean,
        "low": point.low,
        "high": point.high,
        "n": point.draws,
        "undefined": point.undefined,
    }


def biases_of(*, debias: bool, both: bool, average_orders: bool) -> tuple[str, ...]:
    """Return the biases that the switches of the command and the HTTP API choose."""
    by_threshold = (RAW, DEBIASED) if both else (DEBIASED,) if debias else ()
    return (*by_threshold, AVERAGED) if average_orders else by_threshold or (RAW,)


def curve_report(run: Run, choice: CurveChoice) -> CurveReport:
    """Return agreement with people against comparisons per context, a point per curve and budget.

    An undefined curve is one point with the reason. Raises Refused if the run or the choice has no curve.
    """
    return curve_reports([run], choice)[run]


def curve_reports(runs: Sequence[Run], choice: CurveChoice) -> dict[Run, CurveReport]:
    """Return the curves of several runs, from the cache or computed. Raises Refused as `curve_report`."""
    for run in runs:
        _require_drawable(run, choice)
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
    judged = CurveAnswers(comparisons, Debiasing.of_run(comparisons), truth)
    points = list(_judge_points(judged, choice, VOTES if has_votes else HUMAN_SCORES))
    return CurveReport(points, without=sources.left_out)


def _with_people(run: Run, choice: CurveChoice) -> CurveReport:
    """Return all curves over the contexts with both answers and enough votes, so that they are comparable."""
    sources = Sources.of_run(run, choice.answers)
    people, comparisons = sources.people(run.attribute), sources.answers(run).comparisons
    votes = people.votes.of_contexts(recorded_contexts(comparisons))
    lines = [CurveLine(ranking) for ranking in choice.drawn_rankings]
    curves = people_curves(lines, votes, people.human.scores, **choice.of_draws)
    against = HELD_OUT_VOTES if curves.held_out else HUMAN_SCORES
    common = comparisons.of_contexts(curves.contexts)
    judged = CurveAnswers(common, Debiasing.of_run(comparisons), curves.truth, curves.undefined)
    points = list(_judge_points(judged, choice, against))
    return CurveReport(
        points=points + list(_people_points(curves, choice, against)),
        people=PeopleDrawn(int(curves.contexts.sum()), len(votes.of_contexts(curves.contexts)), against),
        worth=[_worth(point, curves, choice) for point in points],
        without=sources.left_out,
    )


def _judge_points(judged: CurveAnswers, choice: CurveChoice, against: str) -> Iterator[Point]:
    """Yield the points by selection; then averaged orders, always drawn symmetrically; then PairS."""
    point = partial(_point, source="judge", measure=choice.measure, against=against)
    chosen = [bias for bias in BIASES if bias in choice.biases]
    single_orders = [bias for bias in chosen if bias != AVERAGED]
    drawn = [(selection, single_orders) for selection in choice.drawn_selections]
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


def _require_drawable(run: Run, choice: CurveChoice) -> None:
    problems = [
        f'{field}: no curve is drawn of "{name}"{did_you_mean(name, known)}; there are: {", ".join(known)}'
        for field, names, known in (
            ("ranking", choice.rankings, (*CURVE_RANKINGS, PAIRS_SORT)),
            ("selection", choice.selections, CURVE_SELECTIONS),
            ("measure", (choice.measure,), CURVE_MEASURES),
        )
        for name in names
        if name not in known
    ]
    if not 1 <= choice.draws <= MOST_DRAWS:
        problems.append(f"draws: {choice.draws} — expected 1 to {MOST_DRAWS}")
    if choice.seed < 0:
        problems.append(f"seed: {choice.seed} — expected 0 or more")
    if run.is_scoring:
        problems.append(f"run {run.pk} scores candidates one by one; a curve needs comparisons")
    if problems:
        raise Refused(*problems)
