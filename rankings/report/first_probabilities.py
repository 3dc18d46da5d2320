"""How often a run answers each p_first: a histogram, with the threshold of debiasing."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from evenhand.numerics import Comparisons, Debiasing
from evenhand.numerics.decisions import are_choices
from judging.models import Run
from rankings.charts.palette import INK, SOFT, line_colour
from rankings.charts.plotly_chart import Chart, Layout, figure, label_above, line_across
from rankings.record_states import states_of
from rankings.report.report_choice import ReportChoice
from rankings.report.report_rows import Sources
from rankings.report_cache import cached

BARS, HEIGHT = 20, 420


@dataclass(frozen=True)
class ProbabilityBar:
    """The number of answers with p_first from low to high."""

    low: float
    high: float
    answers: int


@dataclass(frozen=True)
class ChoiceCounts:
    """How often a run that answers without probabilities chose the first, the second, and neither."""

    first: int
    second: int
    ties: int


@dataclass(frozen=True)
class FirstProbabilities:
    """The histogram of a run. threshold: the median; None if every answer is 0, 1/2 or 1.

    choices: the counts of such answers; None for a run with probabilities, and for one without answers.
    """

    bars: list[ProbabilityBar]
    threshold: float | None
    choices: ChoiceCounts | None = None

    @property
    def answers(self) -> int:
        return sum(bar.answers for bar in self.bars)


def first_probabilities(run: Run, choice: ReportChoice) -> FirstProbabilities:
    """Return the histogram of a run that compares, from the cache or computed."""
    return cached(("first probabilities", states_of([run])[run.pk], choice), lambda: _computed(run, choice))


def _computed(run: Run, choice: ReportChoice) -> FirstProbabilities:
    comparisons = Sources.of_run(run, choice).answers(run).comparisons.known()
    counts, edges = np.histogram(comparisons.p_first, bins=BARS, range=(0.0, 1.0))
    bars = [
        ProbabilityBar(low, high, n) for (low, high), n in zip(pairwise(edges.tolist()), counts.tolist(), strict=True)
    ]
    return FirstProbabilities(bars, Debiasing.of_run(comparisons).threshold.value, _choices(comparisons))


def _choices(comparisons: Comparisons) -> ChoiceCounts | None:
    if not are_choices(comparisons.p_first):
        return None
    first, second, ties = (int((comparisons.p_first == value).sum()) for value in (1.0, 0.0, 0.5))
    return ChoiceCounts(first, second, ties)


def first_probabilities_chart(histogram: FirstProbabilities) -> Chart | None:
    """Draw a bar for each range of p_first, and lines at one half and at the threshold. None without a probability."""
    if not histogram.answers or histogram.choices:
        return None
    trace = {
        "type": "bar",
        "x": [(bar.low + bar.high) / 2 for bar in histogram.bars],
        "y": [bar.answers for bar in histogram.bars],
        "customdata": [f"{bar.low:.2f} to {bar.high:.2f}" for bar in histogram.bars],
        "marker": {"color": line_colour(0)},
        "hovertemplate": "p %{customdata}: %{y:,} answers<extra></extra>",
    }
    layout = {
        "height": HEIGHT,
        "bargap": 0.08,
        "margin": {"t": 34},
        "xaxis": {"title": "p: probability that the first text is better", "range": [0, 1]},
        "yaxis": {"title": "Answers"},
        **_lines(histogram.threshold),
    }
    note = f"{histogram.answers:,} answers; without position bias the bars are symmetric about one half."
    return figure([trace], layout, name="p-first", note=note)


def _lines(threshold: float | None) -> Layout:
    """Return the lines at one half and at the threshold, which has a label."""
    half = line_across(0.5, color=SOFT, width=1, dash="dot")
    if threshold is None:
        return {"shapes": [half]}
    label = label_above(threshold, f"threshold τ {threshold:.3f}", side="left" if threshold < 0.5 else "right")
    return {"shapes": [half, line_across(threshold, color=INK, width=2, dash="dash")], "annotations": [label]}
