"""The ranking curves of the runs of a study, and how few comparisons reach a share of the best [Liusie2024b]."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

from evenhand.numerics import CURVE_RANKINGS, CURVE_SELECTIONS, DEFAULT_RANKING
from evenhand.numerics.figure import defined
from evenhand.options import Option
from judging.models import HumanScore, Run, Vote
from rankings.charts.line_chart import DrawnLine, padded, x_span, y_span
from rankings.charts.palette import PEOPLE, SOFT
from rankings.charts.plotly_chart import Chart, line_across
from rankings.curves.curve_chart import line_of_points, whole_steps
from rankings.curves.curve_records import DEBIASED, RAW, CurveChoice, Point
from rankings.curves.curve_report import curve_reports
from rankings.curves.needed_comparisons import NEEDED_SHARES, figures_of_curve
from rankings.report.printed_numbers import coefficient, percent, ranking_title
from rankings.studies.charts.chart_tab import ChartTab, Slider, named_charts
from rankings.studies.charts.chosen_runs import ChosenRuns, Debias
from rankings.studies.charts.panels import PanelAxes, line_charts, looks_of_lines
from rankings.studies.charts.run_panels import RunPanel, panels_of_runs, question_of, run_labels, table_of_runs
from rankings.studies.dimensions import Names
from rankings.studies.pivots.pivot import SEPARATOR
from rankings.tables.table import Column, Kind, Table

PEOPLE_NAME = "people"
USUAL_BUDGET = 0.2
"""The budget of a page whose address has none, as a share of all comparisons: 48 of 240, as in the paper."""
DEFINITION = "curves/#efficiency"
LARGEST_BUDGET = 1_000_000
CURVE_MEASURE_TITLES = {"spearman": "Spearman", "accuracy": "accuracy of the ranking"}
MEASURE_AXES = {"spearman": "Spearman’s correlation per context", "accuracy": "Accuracy of the ranking"}


@dataclass(frozen=True, slots=True)
class CurveOfRun:
    """The points of one run, and of the human votes on the same contexts. label: its name among the runs."""

    run: Run
    label: str
    points: Sequence[Point]
    people: Sequence[Point]

    @property
    def drawn(self) -> list[Point]:
        """Return the points with a value."""
        return [point for point in self.points if point.mean is not None]

    @property
    def undefined(self) -> str:
        """Return why no point has a value."""
        return next((point.undefined for point in self.points if point.undefined), "") or "no value"


def curves_tab(
    chosen: ChosenRuns,
    *,
    ranking: Annotated[
        str,
        Option("Of the curves.", "Ranking", choices={name: ranking_title(name) for name in CURVE_RANKINGS}),
    ] = DEFAULT_RANKING,
    draw: Annotated[
        str,
        Option("The selection that draws comparisons.", "Drawn by", choices={name: name for name in CURVE_SELECTIONS}),
    ] = CURVE_SELECTIONS[0],
    measure: Annotated[
        str | None,
        Option("Default: spearman where people gave scores.", "Measured by", choices=CURVE_MEASURE_TITLES),
    ] = None,
    debias: Debias = False,
    budget: Annotated[
        int | None,
        Option("Comparisons per context at which curves are read.", "Budget", low=1, high=LARGEST_BUDGET),
    ] = None,
    people: Annotated[bool, Option("With the curve of human votes.", "Human votes")] = False,
) -> ChartTab:
    """Draw the ranking curves, with the table of their efficiency."""
    measure = measure or ("spearman" if _has_scores(chosen) else "accuracy")
    choice = chosen_curves(
        chosen,
        rankings=(ranking,),
        selections=(draw,),
        biases=(DEBIASED if debias else RAW,),
        people=people,
        measure=measure,
    )
    runs, curves = chosen.runs, curves_of_runs(chosen.runs, chosen.names, choice)
    fewest, most = _ends_of_budgets(curves)
    budget = budget or _usual_budget(curves)
    panels = panels_of_curves(curves, chosen.names)
    subject = f"{ranking_title(ranking)}, {'debiased' if debias else 'raw'}, {draw} pairs"
    charts = curve_charts(curves, panels, measure=MEASURE_AXES[measure], budget=budget, subject=subject)
    table = _efficiency_table(curves, measure=measure, budget=budget)
    label = "Budget" if budget is None else f"Budget: {budget:,} of {most:,} per context"
    return ChartTab(
        name="curves",
        title=f"Efficiency: {subject}",
        definition="curves/",
        sentence=efficiency_sentence(table, measure=measure),
        charts=named_charts([panel.title for panel in panels], charts),
        table=table,
        empty="" if charts else _why_no_curve(curves),
        notes=_curve_notes(curves, len(runs) - len(curves)),
        usual={"measure": measure, "budget": budget},
        sliders={"budget": Slider(fewest, most, label)},
    )


def chosen_curves(chosen: ChosenRuns, **settings: Any) -> CurveChoice:  # noqa: ANN401 - fields of the choice
    """Return the curves of the subset and the answers that count."""
    answers, subsets = chosen.rows.answers, chosen.subsets
    return CurveChoice(
        order=answers.order,
        subsets=None if subsets is None else tuple(sorted(subsets)),
        subsets_by=answers.subsets_by,
        **settings,
    )


def _has_scores(chosen: ChosenRuns) -> bool:
    """Return True if people scored an attribute of the study."""
    attributes = Run.objects.filter(pk__in=chosen.names).values("attribute")
    return HumanScore.objects.filter(attribute__in=attributes).exists()


def without_meaning_for_curves(runs: Sequence[Run]) -> tuple[str, ...]:
    """Return the options that mean nothing for some runs: those of votes, where people gave none."""
    votes = Vote.objects.in_figures().filter(attribute__in={run.attribute_id for run in runs})
    return ("unparsed",) if votes.exists() else ("unparsed", "people")


def _why_no_curve(curves: list[CurveOfRun]) -> str:
    """Return the reasons why nothing is drawn."""
    reasons = dict.fromkeys(curve.undefined for curve in curves)
    return "; ".join(reasons) or "the chosen runs score candidates one by one, and a curve needs comparisons"


def _curve_notes(curves: list[CurveOfRun], n_scoring: int) -> list[str]:
    """Return what a reader of the page should know."""
    notes = ["Values between computed budgets are interpolated. Bands: the middle 95\u202f% of the draws."]
    if n_scoring:
        notes.append(f"{n_scoring} of the runs score candidates one by one and have no curve.")
    if any(curve.people for curve in curves):
        notes.append("All curves of an attribute cover the contexts with enough human votes.")
    return notes


def curves_of_runs(runs: Sequence[Run], names: Mapping[int, Names], choice: CurveChoice) -> list[CurveOfRun]:
    """Return the curve of each run that compares. choice: one ranking, selection and bias."""
    comparing = [run for run in runs if not run.is_scoring]
    reports, labels = curve_reports(comparing, choice), run_labels(comparing, names)
    return [
        CurveOfRun(
            run,
            labels[run.pk],
            [point for point in reports[run].points if point.source == "judge"],
            [point for point in reports[run].points if point.source == "people" and point.mean is not None],
        )
        for run in comparing
    ]


def panels_of_curves(curves: Sequence[CurveOfRun], names: Mapping[int, Names]) -> list[RunPanel]:
    """Return the panels of the runs whose curve has a point, those with the best value of all comparisons first."""
    values = {curve.run.pk: defined(curve.drawn[-1].mean) for curve in curves if curve.drawn}
    return panels_of_runs([curve.run for curve in curves if curve.drawn], names, values)


def curve_charts(
    curves: Sequence[CurveOfRun], panels: Sequence[RunPanel], *, measure: str, budget: float | None, subject: str
) -> list[Chart]:
    """Draw the panels on the same axes. budget: marked by a line. subject: ranking and selection, for the caption."""
    if not panels:
        return []
    of_run = {curve.run.pk: curve for curve in curves}
    looks = looks_of_lines(panels, {run: curve.label for run, curve in of_run.items()})
    lines = [
        [
            line_of_points(of_run[run.pk].drawn, one.name, colour=one.colour, symbol=one.symbol, series=one.series)
            for run, one in zip(panel.runs, of_panel, strict=True)
        ]
        + _lines_of_people([of_run[run.pk] for run in panel.runs])
        for panel, of_panel in zip(panels, looks, strict=True)
    ]
    every = [line for of_panel in lines for line in of_panel]
    draws = max(point.draws for curve in curves for point in curve.drawn)
    has_people = any(line.colour == PEOPLE for line in every)
    x = x_span(every)
    axes = PanelAxes(
        name="curves",
        note=f"{subject}. Lines: means of {draws:,} draws of the comparisons; bands: the middle 95 % of the draws.",
        x={"title": f"Comparisons {'or votes ' * has_people}per context", "range": padded(x, share=0.02, least=0.5)}
        | whole_steps(x),
        y={"title": measure, "range": padded(y_span(every), share=0.06, least=0.01)},
        shapes=[] if budget is None else [line_across(budget, color=SOFT, width=1, dash="dot")],
    )
    return line_charts(panels, lines, axes)


def _lines_of_people(curves: Sequence[CurveOfRun]) -> list[DrawnLine]:
    """Return the distinct curves of people; runs on other contexts have other curves of people."""
    different: list[tuple[str, Sequence[Point]]] = []
    for curve in curves:
        if curve.people and all(curve.people != points for _, points in different):
            different.append((curve.label, curve.people))
    return [
        line_of_points(
            points,
            PEOPLE_NAME if len(different) == 1 else f"{PEOPLE_NAME}, contexts of {label}",
            colour=PEOPLE,
            symbol="circle",
            width=4,
        )
        for label, points in different
    ]


def _efficiency_table(curves: Sequence[CurveOfRun], *, measure: str, budget: int | None) -> Table:
    """Return a row for each run: its value with all comparisons and at the budget, and what it needs for a share."""
    runs = [curve.run for curve in curves]
    people = {question_of(curve.run): curve.people for curve in reversed(curves) if curve.people}
    columns = _columns(measure, budget)
    return table_of_runs(
        columns,
        runs,
        {curve.run.pk: curve.label for curve in curves},
        {curve.run.pk: figures_of_curve(curve.points, columns, budget) for curve in curves},
        people={question: figures_of_curve(points, columns, budget) for question, points in people.items()},
        page="run-curve",
    )


def _columns(measure: str, budget: int | None) -> tuple[Column, ...]:
    kind: Kind = "share" if measure == "accuracy" else "coefficient"
    title = "Accuracy of the ranking" if measure == "accuracy" else "Spearman"
    value = partial(Column, kind=kind, group=title, marks_best=True, parts=(), definition="curves/#mean")
    needed = partial(Column, kind="count", group="Comparisons per context", parts=(), definition=DEFINITION)
    return (
        value(name="value", title="all"),
        *([] if budget is None else [value(name="at_budget", title=f"at {budget:,}")]),
        needed(name="comparisons", title="all"),
        *(needed(name=name, title=f"for {100 * share:.0f}\u202f%") for name, share in NEEDED_SHARES.items()),
        Column(name="share_98", title="needed", group="For 98\u202f%", kind="share", parts=(), definition=DEFINITION),
    )


def efficiency_sentence(table: Table, *, measure: str) -> str:
    """Write how few comparisons reach 98 % of the best run's value; "" without such a run."""
    rows = [row for row in table.rows if row.of == "judge" and table.value(row, "share_98") is not None]
    if not rows:
        return ""
    best = max(rows, key=lambda row: defined(table.value(row, "value")))
    shares = [defined(table.value(row, "share_98")) for row in rows]
    noun, write = ("ranking accuracy", percent) if measure == "accuracy" else ("correlation", coefficient)
    name = SEPARATOR.join(map(str, best.names))
    sentence = (
        f"{percent(defined(table.value(best, 'share_98')))} of the comparisons "
        f"({table.value(best, 'needed_98'):,.0f} of {table.value(best, 'comparisons'):,.0f} per context) "
        f"reach 98\u202f% of the {noun} of {name} ({write(defined(table.value(best, 'value')))})"
    )
    if len(rows) == 1:
        return f"{sentence}."
    least, most = percent(min(shares)), percent(max(shares))
    if least == most:
        return f"{sentence}; {'both' if len(rows) == 2 else f'all {len(rows)}'} runs need the same share."
    return f"{sentence}; {least} to {most} over all {len(rows)} runs."


def _usual_budget(curves: Sequence[CurveOfRun]) -> int | None:
    """Return a fifth of the most comparisons, at least the fewest drawn by every run; None without a curve."""
    drawn = [curve.drawn for curve in curves if curve.drawn]
    if not drawn:
        return None
    most = max(points[-1].comparisons for points in drawn)
    fewest = max(points[0].comparisons for points in drawn)
    return max(round(USUAL_BUDGET * most), round(fewest))


def _ends_of_budgets(curves: Sequence[CurveOfRun]) -> tuple[int, int]:
    """Return the fewest and the most comparisons per context of any curve."""
    points = [point.comparisons for curve in curves for point in curve.drawn]
    return round(min(points, default=0)), round(max(points, default=0))
