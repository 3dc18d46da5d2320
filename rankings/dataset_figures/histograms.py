"""Histograms of human scores, as bars that a page draws."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from evenhand.numerics.arrays import FloatArray
from judging.templatetags.numbers import significant

MOST_BARS = 20
WIDTH, HEIGHT = 100, 40  # of the drawing, in its own units
BAR_GAP = 0.1  # of the width of a bar
ROUNDED_TO = 9  # decimals: sums of thirds differ in the last digit


@dataclass(frozen=True, slots=True)
class Bar:
    """The candidates with a score in a range, or with one value. x, y, width, height: of the drawing."""

    label: str
    count: int
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Histogram:
    """Bars from low scores to high ones. start, end: of the axis, as text."""

    bars: tuple[Bar, ...]
    start: str
    end: str


def histogram_of(scores: FloatArray, *, minimum: float | None = None, maximum: float | None = None) -> Histogram | None:
    """Return the histogram of scores, (n,); None without any. NaN is left out.

    There is one bar for each value, or for each range of equal width where there are more than 20 values.
    minimum, maximum: the declared scale, which the axis shows whole; None for not declared.
    """
    known = np.round(scores[~np.isnan(scores)], ROUNDED_TO)
    if not len(known):
        return None
    values, counts = np.unique(known, return_counts=True)
    if len(values) <= MOST_BARS:
        half = (float(np.diff(values).min()) if len(values) > 1 else 1.0) / 2
        starts, ends, labels = values - half, values + half, [significant(value) for value in values.tolist()]
    else:
        edges = _round_edges(values[0], values[-1])
        counts, half = np.histogram(known, edges)[0], 0.0
        starts, ends, labels = edges[:-1], edges[1:], _ranges(edges)
    low = min(starts[0], starts[0] if minimum is None else minimum - half)
    high = max(ends[-1], ends[-1] if maximum is None else maximum + half)
    return Histogram(
        _bars(labels, counts.tolist(), (starts - low) / (high - low), (ends - low) / (high - low)),
        significant(low + half),
        significant(high - half),
    )


def _round_edges(low: float, high: float) -> FloatArray:
    """Return edges of at most 20 ranges at multiples of 1, 2 or 5 times a power of ten, which hold all values."""
    power = 10.0 ** np.floor(np.log10((high - low) / MOST_BARS))
    for step in (power * factor for factor in (1, 2, 5, 10, 20)):
        first, last = np.floor(np.round(low / step, ROUNDED_TO)), np.ceil(np.round(high / step, ROUNDED_TO))
        if last - first <= MOST_BARS:
            break
    return np.round(np.arange(first, last + 1) * step, ROUNDED_TO)


def _ranges(edges: FloatArray) -> list[str]:
    """Write the range of each bar. Only the last one holds its end."""
    texts = [significant(edge) for edge in edges.tolist()]
    ranges = [f"{start} to below {end}" for start, end in pairwise(texts)]
    return [*ranges[:-1], f"{texts[-2]} to {texts[-1]}"]


def _bars(labels: list[str], counts: list[int], starts: FloatArray, ends: FloatArray) -> tuple[Bar, ...]:
    highest = max(counts)
    return tuple(
        Bar(
            label,
            count,
            x=round(WIDTH * (start + BAR_GAP / 2 * (end - start)), 2),
            y=round(HEIGHT * (1 - count / highest), 2),
            width=round(WIDTH * (1 - BAR_GAP) * (end - start), 2),
            height=round(HEIGHT * count / highest, 2),
        )
        for label, count, start, end in zip(labels, counts, starts.tolist(), ends.tolist(), strict=True)
    )
