"""The position bias of the runs of a study: P(first), raw and debiased."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evenhand.numerics import Figure
from evenhand.numerics.figure import defined
from rankings.charts.dot_chart import LONGEST_NAME_ON_A_PHONE, fitting, interval_bars, line_of_people
from rankings.charts.palette import LINE, SOFT, line_colour
from rankings.charts.plotly_chart import Chart, Layout, Trace, figure, line_across
from rankings.report.printed_numbers import percent
from rankings.report.report_columns import COLUMNS
from rankings.studies.charts.chart_tab import ChartTab, named_charts
from rankings.studies.charts.chosen_runs import ChosenRuns
from rankings.studies.charts.panels import panel_name
from rankings.studies.charts.run_panels import QuestionOfRuns, panels_of_runs, question_of, table_of_runs
from rankings.studies.pivots.pivot_source import NO_RECORD, NOT_ANSWERED, RunParts, parts_of_runs

BIAS_COLUMNS = ("p_first", "p_first_debiased", "order_agreement", "threshold", "alpha")
HALF = 0.5
ROW_HEIGHT, LONGEST_RUN_NAME = 38, 40  # pixels, characters
MOST_BIAS_ROWS = 15
"""Rows of one chart: it fits a screen and a printed page."""
APART = 0.14
"""Distance of both dots from the middle of their row, so that their intervals do not overlap."""
NOTE_ON_BIAS = (
    "Filled: raw; open: debiased; bars: 95 % intervals over contexts. Without position bias P(first) is 50 %."
)


@dataclass(frozen=True, slots=True)
class BiasOfRun:
    """P(first) of one run, with an interval. The debiased one may be undefined."""

    label: str
    raw: Figure
    debiased: Figure

    @property
    def drawn(self) -> dict[str, tuple[Figure, float]]:
        """Return kind -> figure, and distance from the middle of the row, of each dot."""
        both = {"raw": (self.raw, -APART), "debiased": (self.debiased, APART)}
        return {kind: one for kind, one in both.items() if one[0].value is not None}


def bias_tab(chosen: ChosenRuns) -> ChartTab:
    """Draw P(first), raw and debiased."""
    runs, subset = chosen.runs, chosen.subset
    parts, labels = parts_of_runs(runs, chosen.rows), chosen.labels
    biases, people = _biases_of_runs(parts, subset, labels), _p_first_of_people(parts, subset)
    heights = {run: defined(bias.raw.value) for run, bias in biases.items()}
    panels = panels_of_runs([run for run in runs if run.pk in biases], chosen.names, heights, most=MOST_BIAS_ROWS)
    x_range = bias_range(list(biases.values()), list(people.values()))
    charts = [
        bias_chart(
            [biases[run.pk] for run in panel.runs],
            panel.labels,
            name=panel_name("bias", number, len(panels)),
            title=panel.title,
            x_range=x_range,
            people=people.get(question_of(panel.runs[0])),
        )
        for number, panel in enumerate(panels, start=1)
    ]
    figures = {part.run.pk: _figures(part, subset) for part in parts}
    of_people = {question: [one, *[None] * (len(BIAS_COLUMNS) - 1)] for question, one in people.items()}
    columns = [COLUMNS[name].column for name in BIAS_COLUMNS]
    return ChartTab(
        name="bias",
        title="Position bias",
        definition="report/#p_first",
        sentence=most_biased_sentence(list(biases.values())),
        charts=named_charts([panel.title for panel in panels], charts),
        table=table_of_runs(columns, runs, labels, figures, people=of_people),
        usual_sort=BIAS_COLUMNS[0],
        empty="" if charts else "no chosen run has a P(first)",
    )


def _figures(part: RunParts, subset: str) -> list[Figure | None]:
    """Return the figures of a run in the columns of the table."""
    if subset not in part.rows:
        return [Figure.missing(NO_RECORD if part.rows else NOT_ANSWERED) for _ in BIAS_COLUMNS]
    return [COLUMNS[name].figure(part.rows[subset], "", "per_context") for name in BIAS_COLUMNS]


def _biases_of_runs(parts: Sequence[RunParts], subset: str, labels: Mapping[int, str]) -> dict[int, BiasOfRun]:
    """Return run -> its bias, for runs with a P(first)."""
    rows = {part.run.pk: part.rows[subset] for part in parts if subset in part.rows}
    return {
        run: BiasOfRun(labels[run], row.p_first, row.p_first_debiased)
        for run, row in rows.items()
        if row.p_first.value is not None
    }


def _p_first_of_people(parts: Sequence[RunParts], subset: str) -> dict[QuestionOfRuns, Figure]:
    """Return question -> P(first) of people, where all its runs have the same."""
    figures: dict[QuestionOfRuns, set[Figure]] = {}
    for part in parts:
        if subset in part.rows:
            figures.setdefault(question_of(part.run), set()).add(part.rows[subset].human_p_first)
    single = {question: next(iter(one)) for question, one in figures.items() if len(one) == 1}
    return {question: one for question, one in single.items() if one.value is not None}


def bias_range(biases: Sequence[BiasOfRun], people: Sequence[Figure]) -> list[float]:
    """Return the range of the axis: all intervals, one half and people, within 0 and 1."""
    figures = [one for bias in biases for one, _ in bias.drawn.values()]
    ends = [HALF, *(defined(one.value) for one in people)]
    ends += [end for one in figures for end in (one.value, one.low, one.high) if end is not None]
    return [max(min(ends) - 0.03, 0), min(max(ends) + 0.03, 1)]


def bias_chart(
    biases: Sequence[BiasOfRun],
    labels: Sequence[str],
    *,
    name: str,
    title: str,
    x_range: Sequence[float],
    people: Figure | None,
) -> Chart:
    """Draw two dots and a line for each run, raw and debiased. labels: of the rows. title: for the caption, or ""."""
    names, places = fitting(labels, LONGEST_RUN_NAME), range(len(biases))
    layout: Layout = {
        "height": 110 + ROW_HEIGHT * len(biases),
        "margin": {"t": 34},
        "xaxis": {"title": "P(first)", "tickformat": ".0%", "range": list(x_range)},
        "yaxis": {"tickvals": list(places), "ticktext": names, "range": [len(biases) - 0.4, -0.75]},
        "shapes": [line_across(HALF, color=SOFT, width=1, dash="dot")],
        "annotations": _names_of_dots(biases[0]),
    }
    if people is not None:
        line = line_of_people(defined(people.value), x_range)
        layout["shapes"] += line["shapes"]
        layout["annotations"] += line["annotations"]
    traces = [_connection(bias, place) for bias, place in zip(biases, places, strict=True) if len(bias.drawn) == 2]
    traces += [_dots(biases, kind) for kind in ("raw", "debiased") if any(kind in bias.drawn for bias in biases)]
    narrow = {
        "xaxis": {"nticks": 4},
        "yaxis": {"ticktext": fitting(labels, LONGEST_NAME_ON_A_PHONE)},
    }
    return figure(traces, layout, name=name, note=f"{title}. {NOTE_ON_BIAS}" if title else NOTE_ON_BIAS, narrow=narrow)


def most_biased_sentence(biases: Sequence[BiasOfRun]) -> str:
    """Write the run that is furthest from one half, and how many intervals exclude one half; "" without a run."""
    if not biases:
        return ""
    most = max(biases, key=lambda bias: abs(defined(bias.raw.value) - HALF))
    debiased = "" if most.debiased.value is None else f" → {percent(most.debiased.value)} debiased"
    sentence = f"{most.label} is furthest from 50\u202f%: P(first) {percent(defined(most.raw.value))}{debiased}."
    with_interval = [bias.raw for bias in biases if bias.raw.low is not None and bias.raw.high is not None]
    if len(biases) == 1 or not with_interval:
        return sentence
    biased = sum(not defined(one.low) <= HALF <= defined(one.high) for one in with_interval)
    return f"{sentence} In {biased} of {len(with_interval)} runs the 95\u202f% interval excludes 50\u202f%."


def _dots(biases: Sequence[BiasOfRun], kind: str) -> Trace:
    colour = line_colour(0)
    drawn = [(place, bias.label, *bias.drawn[kind]) for place, bias in enumerate(biases) if kind in bias.drawn]
    figures = [one for _, _, one, _ in drawn]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [one.value for one in figures],
        "y": [place + apart for place, _, _, apart in drawn],
        "text": [f"{label}, {kind}" for _, label, _, _ in drawn],
        "cliponaxis": False,  # a dot at 0 or 100 % is shown whole
        "marker": {"color": colour, "size": 10, "symbol": "circle" if kind == "raw" else "circle-open"},
        "error_x": interval_bars(figures, color=colour, thickness=1.5, width=4),
        "hovertemplate": "%{x:.1%}<extra>%{text}</extra>",
    }


def _connection(bias: BiasOfRun, place: int) -> Trace:
    """Draw a line between both dots of a run."""
    (raw, above), (debiased, below) = bias.drawn.values()
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [raw.value, debiased.value],
        "y": [place + above, place + below],
        "line": {"color": LINE, "width": 3},
        "hoverinfo": "skip",
    }


def _names_of_dots(bias: BiasOfRun) -> list[Layout]:
    """Write the names of the dots of the first run above them, apart from each other."""
    ordered = sorted(bias.drawn.items(), key=lambda one: defined(one[1][0].value))
    sides = ["right", "left"] if len(ordered) == 2 else ["center"]
    return [
        {"text": kind, "x": one.value, "xanchor": side, "y": -0.5, "showarrow": False, "font": {"color": SOFT}}
        for (kind, (one, _)), side in zip(ordered, sides, strict=True)
    ]
