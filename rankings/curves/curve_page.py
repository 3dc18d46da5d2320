"""`curve`: agreement with people against the number of comparisons."""

from collections.abc import Iterator, Sequence
from functools import partial

from evenhand.numerics import PAIRS_SORT, RANKINGS, Figure
from evenhand.units import counted
from judging.models import Run
from judging.templatetags.numbers import decimals
from rankings.analyses.record import Analysis, Block, Drawing, Sentence, TabSection, TitledTable
from rankings.curves.curve_chart import curve_chart
from rankings.curves.curve_records import AVERAGED, DEBIASED, RAW, CurveReport, CurveValue, Point, Worth
from rankings.curves.curve_report import HELD_OUT_VOTES, MEASURE_TITLES, run_curve
from rankings.curves.needed_comparisons import needed_sentence, needed_table
from rankings.report.answer_options import LEFT_OUT
from rankings.report.left_out import with_left_out
from rankings.report.long_lines import names_of
from rankings.report.printed_numbers import distortion_sentence, ranking_title
from rankings.report.run_names import RunName
from rankings.tables.long_form import Line, LongForm
from rankings.tables.sorting import Sort, sorted_table
from rankings.tables.table import Column, Kind, Row, Table

CURVE_NAMES = ("Ranking", "Of", "Selection", "Position bias")
_COUNT = partial(Column, kind="count", parts=())
COMPARISONS_COLUMN = _COUNT(
    name="comparisons", title="Comparisons", lowest_first=True, definition="curves/#comparisons"
)
WORTH_COLUMN = Column(
    name="votes", title="Worth in votes", kind="number", parts=(), definition="curves/#worth-in-votes"
)
DRAWS_COLUMN = _COUNT(name="draws", title="Draws", definition="curves/#draws")
DRAWS_NOTE = "Mean: over the draws; interval: the middle 95 % of the draws."
VOTES_NOTE = "Worth in votes: votes per context that give the same result, by the same ranking."


def points_table(report: CurveReport, *, measure: str) -> Table:
    """Return every point of the curves. measure: the title of the mean."""
    worth = [one.votes for one in report.worth or []]
    votes = [*worth, *[None] * (len(report.points) - len(worth))]
    mean = Column(name="mean", title=measure, kind=_kind(report.points), definition="curves/#mean")
    columns = (COMPARISONS_COLUMN, mean, DRAWS_COLUMN, *([WORTH_COLUMN] if worth else []))
    rows = tuple(
        Row(
            (*_names(point)[:1], point.source, *_names(point)[1:]),
            (
                Figure(point.comparisons),
                Figure(point.mean, point.low, point.high, undefined=point.undefined),
                Figure(point.draws),
                *([of_point] if worth else []),
            ),
        )
        for point, of_point in zip(report.points, votes, strict=True)
    )
    notes = (DRAWS_NOTE, *([VOTES_NOTE] if worth else []))
    return Table(CURVE_NAMES, columns, rows, notes=notes)


def worth_table(report: CurveReport, *, measure: str) -> Table:
    """Return what all comparisons of each of the judge's curves are worth in votes."""
    mean = Column(name="mean", title=measure, kind=_kind(report.points), parts=(), definition="curves/#mean")
    rows = tuple(
        Row(_names(end), (end.votes, Figure(end.comparisons), Figure(end.mean, undefined=end.undefined)))
        for end in ends_of(report)
    )
    names = tuple(name for name in CURVE_NAMES if name != "Of")
    return Table(names, (WORTH_COLUMN, COMPARISONS_COLUMN, mean), rows, notes=(VOTES_NOTE,))


def ends_of(report: CurveReport) -> list[Worth]:
    """Return the worth of the last point of each of the judge's curves."""
    return list({one.curve: one for one in report.worth or []}.values())


def _names(point: CurveValue) -> tuple[str, str, str]:
    """Return ranking, selection and bias of a point."""
    beam = f", beam {point.beam}" if point.beam else ""
    bias = "orders averaged" if point.average_orders else "debiased" if point.debiased else "raw"
    return f"{ranking_title(point.ranking)}{beam}", point.selection, bias


def _kind(points: Sequence[Point]) -> Kind:
    return "share" if any(point.measure == "accuracy" for point in points) else "coefficient"


CURVE_COLUMNS = ("source", "ranking", "selection", "bias", "beam", "comparisons")


def curve_long_form(report: CurveReport) -> LongForm:
    """Return every point of a curve, and the votes that equal it. n: the number of draws."""
    assert report.run
    names = names_of(RunName.of(report.run))
    form = LongForm(lambda: _long_lines(names, report), CURVE_COLUMNS)
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


USUAL_RANKINGS = [name for name, ranking in RANKINGS.items() if ranking.in_usual_curves]
ABOUT_PAIRS_SORT = (
    "PairS chooses its own comparisons. It has one point for each width of its beam (1, 4 and 16), at the mean number "
    "of comparisons that it asked for."
)
ABOUT_HELD_OUT_VOTES = (
    " There are no human scores. Each draw splits the votes of each context in half. One half is the reference for the "
    "judge and for the other half."
)


def _blocks(report: CurveReport) -> Iterator[Block]:
    measure = report.points[0].measure
    title = MEASURE_TITLES[measure][:1].upper() + MEASURE_TITLES[measure][1:]
    needed = sorted_table(needed_table(report, measure=measure), Sort("needed_98"))
    chart = curve_chart(report.points, measure=title)
    if sentence := needed_sentence(needed, measure=measure):
        yield Sentence(sentence, is_lede=True)
    elif chart and (judged := [row for row in needed.rows if row.of == "judge"]):
        why = next(figure.undefined for figure in judged[0].figures if figure and figure.undefined)
        yield Sentence(f"No number of comparisons is nearly enough: {why}.", is_lede=True)
    if chart:
        yield Drawing(chart, "Ranking curve; the same figures are in the tables of this page", "curves/")
    else:
        reasons = dict.fromkeys(point.undefined or "" for point in report.points if point.mean is None)
        yield Sentence(f"No curve: {'; '.join(reasons)}.", is_lede=True)
    if any(point.ranking == PAIRS_SORT for point in report.points):
        yield Sentence(ABOUT_PAIRS_SORT)
    if needed.rows:
        yield TitledTable(needed, "Comparisons needed", has_heading=True, sort="needed_98")
    if report.people:
        yield from _worth_blocks(report, title)
    points = points_table(report, measure=title)
    yield TitledTable(points, "Figures of the curve", is_folded=True, interval="brackets")


def _worth_blocks(report: CurveReport, title: str) -> Iterator[Block]:
    if sentence := sentence_of(report):
        yield Sentence(sentence, is_lede=True)
    if people := report.people:
        contexts, votes = counted(people.contexts, "context"), counted(people.votes, "vote")
        held_out = ABOUT_HELD_OUT_VOTES if people.against == HELD_OUT_VOTES else ""
        both = f"Over {contexts} with both the judge’s answers and human votes ({votes}), against {people.against}."
        yield Sentence(both + held_out)
    yield TitledTable(worth_table(report, measure=title), "Worth in votes", has_heading=True)


def _without_number(comparisons: str, end: Worth, report: CurveReport) -> str:
    """Write a worth that is above or below all that people's votes reach, or why there is none."""
    people = [point for point in report.points if point.source == "people" and point.ranking == end.ranking]
    drawn = [point for point in people if point.mean is not None]
    if end.mean is None or not drawn:
        return f"{comparisons} cannot be expressed in human votes: {end.votes.undefined}."
    most, fewest = drawn[-1], drawn[0]
    if end.mean > max(point.mean or 0 for point in drawn):
        votes = f"more than {decimals(most.comparisons, 0)} human votes, all that were collected"
    else:
        votes = f"fewer than {decimals(fewest.comparisons, 0)} human votes, the fewest that a curve needs"
    return f"{comparisons} are worth {votes}."


def sentence_of(report: CurveReport) -> str:
    """Write the worth of the judge's comparisons in votes, by the ranking of the drawn human curve."""
    drawn = [point.ranking for point in report.points if point.source == "people" and point.mean is not None]
    ends = [one for one in ends_of(report) if one.mean is not None and one.ranking in drawn[:1]]
    if not ends:
        return ""
    end = ends[0]
    comparisons = f"Ranked by {ranking_title(end.ranking)}, {end.comparisons:,} LLM comparisons per context"
    if end.votes.value is None:
        return _without_number(comparisons, end, report)
    return f"{comparisons} are worth {decimals(end.votes.value, 1)} human votes."


def _cautions(report: CurveReport) -> Iterator[str]:
    if report.run and report.run.hold_out is not None:
        yield distortion_sentence()


def _preset(run: Run) -> dict[str, list[str]]:
    """Choose few rankings, and measure by votes where people gave no scores."""
    by_votes = run.attribute.votes.in_figures().exists() and not run.attribute.human_scores.exists()
    return {"ranking": USUAL_RANKINGS, "measure": ["accuracy" if by_votes else "spearman"]}


ANALYSIS = Analysis(
    name="curve",
    title="Ranking curve",
    section=TabSection("Results", "How many comparisons are enough?", place=3, keeps_choices=True),
    function=run_curve,
    blocks=_blocks,
    examples=("curve 7", "curve 7 --ranking bradley-terry --selection symmetric --both --people"),
    answers=("order", *LEFT_OUT),
    hidden=lambda run: () if run.attribute.votes.in_figures().exists() else ("people",),
    preset=_preset,
    menus={"Position bias": ("debias", "both", "average_orders"), "Draws": ("draws", "seed")},
    cautions=_cautions,
    long_form=curve_long_form,
    definition="curves/",
)
