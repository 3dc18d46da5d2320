"""P(better) of each pair when its first text is shown first, against when it is shown second, for runs of a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.numerics import Figure, Judged
from evenhand.numerics.figure import defined
from evenhand.numerics.reliability.order_pairs import OrderPairs
from judging.models import Run
from rankings.charts.counts_chart import counts_trace, middles, shades_of_counts
from rankings.charts.line_chart import diagonal_trace
from rankings.charts.palette import line_colour
from rankings.charts.plotly_chart import Chart, Layout, Trace, figure
from rankings.loading import People
from rankings.report.number_text import coefficient
from rankings.studies.charts.judged_answers import AnswersChoice, computed_of_runs
from rankings.studies.charts.panels import LEGEND_BELOW, panel_name
from rankings.tables.table import Column

MOST_DRAWN_PAIRS = 500
"""More pairs, and pairs that mostly share a point, are drawn as numbers in a grid."""
LEAST_DIFFERENT = 0.5
N_BINS = 20
ORDER_HEIGHT = 400  # pixels
ORDER_NOTE = "The first text of each pair, in the dataset's order. On the diagonal the order makes no difference."


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
    def of(cls, pairs: OrderPairs) -> OrderFigures:
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
    def missing(cls, reason: str) -> OrderFigures:
        """Return no figures, with the reason."""
        none = Figure.missing(reason)
        return cls(none, none, none, none, (), ())

    @property
    def most_in_a_cell(self) -> int:
        return max((n for row in self.counts for n in row), default=0)


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


def orders_of_runs(runs: Sequence[Run], labels: Mapping[int, str], choice: AnswersChoice) -> list[OrderOfRun]:
    """Return the figures of each run, from the cache or computed."""
    computed = computed_of_runs("order-pairs", runs, choice, _figures, OrderFigures.missing, takes_choices=True)
    return [OrderOfRun(run, labels[run.pk], computed[run]) for run in runs]


def _figures(judged: Judged, people: People) -> OrderFigures:
    return OrderFigures.of(OrderPairs.of(judged.answered))


def order_columns() -> list[Column]:
    """Return the columns of the table."""
    definition, group = "studies/#by-order", "Mean P(better)"
    return [
        Column(name="lean", title="Lean", kind="coefficient", definition=definition, reference=0),
        Column(name="shown_first", title="shown first", group=group, kind="coefficient", definition=definition),
        Column(name="shown_second", title="shown second", group=group, kind="coefficient", definition=definition),
        Column(name="flip_rate", title="Flipped", definition="report/#flip_rate"),
    ]


def order_charts(orders: Sequence[OrderOfRun]) -> list[Chart]:
    """Draw the pairs of each run, all on the same axes and scale of shades."""
    most = max((one.own.most_in_a_cell for one in orders), default=0)
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


def order_sentence(orders: Sequence[OrderOfRun]) -> str:
    """Write the run that depends most on the order; "" without one."""
    known = [one for one in orders if one.is_drawn]
    if not known:
        return ""
    most = max(known, key=lean_size)
    first, second = (coefficient(defined(one.value), 2) for one in (most.own.mean_first, most.own.mean_second))
    name = f"{most.label} depends most on the order" if len(known) > 1 else most.label
    return f"{name}: the same text has a mean P(better) of {first} when shown first, and {second} when shown second."


def lean_size(one: OrderOfRun) -> float:
    """Return how far a run depends on the order; 0 without a figure."""
    return abs(one.own.lean.value or 0.0)
