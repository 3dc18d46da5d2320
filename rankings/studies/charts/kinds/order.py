"""P(better) of each pair when its first text is shown first, against when it is shown second, for runs of a study."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from evenhand.numerics import Figure
from evenhand.numerics.figure import defined
from evenhand.numerics.reliability.pair_means import OrderPairs
from judging.models import Run
from rankings.charts.line_chart import diagonal_trace
from rankings.charts.matrix_chart import counts_trace, middles, shades_of_counts
from rankings.charts.palette import line_colour
from rankings.charts.plotly_chart import Chart, Layout, Trace, figure
from rankings.report.printed_numbers import coefficient
from rankings.studies.charts.chart_tab import ChartTab, named_charts
from rankings.studies.charts.chosen_runs import ChosenRuns, Debias, computed_of_runs
from rankings.studies.charts.panels import LEGEND_BELOW, MOST_PANELS, panel_name, titles_of_runs
from rankings.studies.charts.run_panels import table_of_runs
from rankings.tables.table import Column

MOST_DRAWN_PAIRS = 500
"""More pairs, and pairs that mostly share a point, are drawn as numbers in a grid."""
LEAST_DIFFERENT = 0.5
N_BINS = 20
ORDER_HEIGHT = 400  # pixels
ORDER_DEFINITION = "studies/#by-order"
ORDER_NOTE = "The first text of each pair, in the dataset's order. On the diagonal the order makes no difference."
_SHOWN = partial(Column, group="Mean P(better)", kind="coefficient", definition=ORDER_DEFINITION)
ORDER_COLUMNS = (
    Column(name="lean", title="Lean", kind="coefficient", definition=ORDER_DEFINITION, reference=0),
    _SHOWN(name="shown_first", title="shown first"),
    _SHOWN(name="shown_second", title="shown second"),
    Column(name="flip_rate", title="Flipped", definition="report/#flip_rate"),
)


@dataclass(frozen=True, slots=True)
class OrderFigures:
    """The figures of a run, and its pairs: points where they are few, else counts in a grid, rows from below.

    points: P(better) when shown first, and when shown second.
    """

    mean_first: Figure
    mean_second: Figure
    lean: Figure
    flipped: Figure
    points: Sequence[tuple[float, float]]
    counts: Sequence[Sequence[int]]

    @classmethod
    def of(cls, pairs: OrderPairs) -> "OrderFigures":
        points = np.stack([pairs.shown_first, pairs.shown_second], axis=1)
        different = len(np.unique(points, axis=0))
        has_points = len(points) <= MOST_DRAWN_PAIRS and different >= LEAST_DIFFERENT * len(points)
        edges = np.linspace(0, 1, N_BINS + 1)
        counts = np.histogram2d(pairs.shown_second, pairs.shown_first, bins=[edges, edges])[0].astype(int)
        return cls(
            pairs.mean_first,
            pairs.mean_second,
            pairs.lean,
            pairs.flipped,
            [(first, second) for first, second in points.tolist()] if has_points else (),
            () if has_points else counts.tolist(),
        )

    @classmethod
    def missing(cls, reason: str) -> "OrderFigures":
        """Return no figures, with the reason."""
        none = Figure.missing(reason)
        return cls(none, none, none, none, (), ())


@dataclass(frozen=True, slots=True)
class OrderOfRun:
    """The figures of one run. label: its name among the runs."""

    run: Run
    label: str
    own: OrderFigures

    @property
    def is_drawn(self) -> bool:
        return self.own.lean.value is not None

    @property
    def figures(self) -> list[Figure | None]:
        """Return the figures of the table."""
        return [self.own.lean, self.own.mean_first, self.own.mean_second, self.own.flipped]


def order_tab(chosen: ChosenRuns, *, debias: Debias = False) -> ChartTab:
    """Draw P by order, the runs that depend most on the order first."""
    runs, labels = chosen.runs, chosen.labels
    computed = computed_of_runs(
        "order-pairs",
        chosen,
        lambda judged, people: OrderFigures.of(OrderPairs.of(judged.answered)),
        OrderFigures.missing,
        debiased=debias,
        takes_choices=True,
    )
    orders = [OrderOfRun(run, labels[run.pk], computed[run]) for run in runs]
    by_size = sorted((one for one in orders if one.is_drawn), key=lambda one: -abs(one.own.lean.value or 0))
    drawn, titles = by_size[:MOST_PANELS], titles_of_runs(runs, labels)
    notes = [ORDER_NOTE]
    if len(by_size) > len(drawn):
        notes.append(f"The {len(drawn)} runs with the largest lean are drawn, of {len(by_size)}; the table has all.")
    return ChartTab(
        name="order",
        title=f"P by order, {'debiased' if debias else 'raw'}",
        definition=ORDER_DEFINITION,
        sentence=_sentence(by_size),
        charts=named_charts([titles[one.run.pk] if len(by_size) > 1 else "" for one in drawn], _charts(drawn)),
        table=table_of_runs(ORDER_COLUMNS, runs, labels, {one.run.pk: one.figures for one in orders}),
        usual_sort="lean",
        empty="" if drawn else "; ".join(dict.fromkeys(one.own.lean.undefined or "no value" for one in orders)),
        notes=notes if drawn else [],
    )


def _charts(orders: Sequence[OrderOfRun]) -> list[Chart]:
    """Draw the pairs of each run, all on the same axes and scale of shades."""
    most = max((n for one in orders for row in one.own.counts for n in row), default=0)
    return [
        _chart(one, name=panel_name("order", number, len(orders)), most=most)
        for number, one in enumerate(orders, start=1)
    ]


def _chart(one: OrderOfRun, *, name: str, most: int) -> Chart:
    layout: Layout = {
        "height": ORDER_HEIGHT,
        "xaxis": {"title": "P(better) when shown first", "range": [-0.02, 1.02]},
        "yaxis": {"title": "P(better) when shown second", "range": [-0.02, 1.02]},
    }
    if one.own.points:
        traces = [_points_trace(one)]
    else:
        middle = middles([at / N_BINS for at in range(N_BINS + 1)])
        hover = "first near %{x:.3f}, second near %{y:.3f}: %{text} pairs"
        traces = [counts_trace(middle, middle, one.own.counts, hover=hover)]
        layout["coloraxis"] = shades_of_counts(most, noun="pairs")
    note = f"{one.label}, {one.own.lean.n:,} pairs. {ORDER_NOTE}"
    narrow = {} if one.own.points else {"coloraxis": {"showscale": False}}
    return figure([*traces, diagonal_trace()], layout, name=name, note=note, narrow=narrow, narrow_below=LEGEND_BELOW)


def _points_trace(one: OrderOfRun) -> Trace:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": one.label,
        "x": [first for first, _ in one.own.points],
        "y": [second for _, second in one.own.points],
        "marker": {"color": line_colour(0), "size": 6, "opacity": 0.6},
        "hovertemplate": "shown first %{x:.3f}, shown second %{y:.3f}<extra></extra>",
    }


def _sentence(known: Sequence[OrderOfRun]) -> str:
    """Write the run that depends most on the order; "" without one."""
    if not known:
        return ""
    most = known[0]
    first, second = (coefficient(defined(one.value), 2) for one in (most.own.mean_first, most.own.mean_second))
    name = f"{most.label} depends most on the order" if len(known) > 1 else most.label
    return f"{name}: the same text has a mean P(better) of {first} when shown first, and {second} when shown second."
