"""A chart with a dot and interval per run or rater, and a line at the human agreement."""

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

from evenhand.numerics import Figure
from evenhand.numerics.figure import defined
from rankings.charts.palette import PEOPLE, line_colour
from rankings.charts.plotly_chart import Chart, Layout, Trace, figure, label_above, line_across, plain

NOTE = "n: comparisons of pairs on which people prefer one candidate; bars: 95 % intervals over contexts."
LONGEST_NAME, LONGEST_NAME_ON_A_PHONE, LONGEST_TITLE_ON_A_PHONE = 68, 24, 22  # characters


@dataclass(frozen=True, slots=True)
class Dot:
    """A share that has a value, with its interval if it has one. short: its name on a phone."""

    name: str
    short: str
    share: Figure


def dots_chart(dots: Sequence[Dot], *, name: str, title: str, people: float | None) -> Chart | None:
    """Draw a dot with its interval per name, and a dashed line at the human agreement. None without a dot."""
    if not dots:
        return None
    x_range = dots_range(dots, people)
    names = fitting([f"{dot.name}, n = {dot.share.n or 0:,}" for dot in dots], LONGEST_NAME)
    layout = {
        "height": 110 + 42 * len(dots),
        "margin": {"t": 34},
        "xaxis": {"title": title, "tickformat": ".0%", "range": x_range},
        "yaxis": {"tickvals": list(range(len(dots))), "ticktext": names, "range": [len(dots) - 0.5, -0.5]},
    }
    narrow = {
        "xaxis": {"nticks": 4, "title": {"text": "<br>".join(wrap(title, LONGEST_TITLE_ON_A_PHONE))}},
        "yaxis": {"ticktext": fitting([dot.short for dot in dots], LONGEST_NAME_ON_A_PHONE)},
    }
    human_line = {} if people is None else line_of_people(people, x_range)
    return figure([dots_trace(dots, names)], layout | human_line, name=name, note=NOTE, narrow=narrow)


def dots_trace(dots: Sequence[Dot], names: Sequence[str]) -> Trace:
    colour = line_colour(0)
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [dot.share.value for dot in dots],
        "y": list(range(len(dots))),
        "text": list(names),
        "cliponaxis": False,  # a dot at 0 or 100 % is shown whole
        "marker": {"color": colour, "size": 10},
        "error_x": interval_bars([dot.share for dot in dots], color=colour, thickness=2, width=5),
        "hovertemplate": "%{x:.1%}<extra>%{text}</extra>",
    }


def interval_bars(figures: Sequence[Figure], **looks: Any) -> Layout:  # noqa: ANN401 - as plotly has them
    """Return the error bars of figures with a value. looks: color, thickness and width."""
    return {
        "type": "data",
        "symmetric": False,
        "array": [0 if one.high is None else one.high - defined(one.value) for one in figures],
        "arrayminus": [0 if one.low is None else defined(one.value) - one.low for one in figures],
        **looks,
    }


def line_of_people(share: float, x_range: Sequence[float]) -> Layout:
    """Return a dashed line at a share, with its name on the side with more room."""
    side = "right" if 2 * share > sum(x_range) else "left"
    label = label_above(share, f"people {100 * share:.1f} %", side=side, font={"color": PEOPLE})
    return {"shapes": [line_across(share, color=PEOPLE, width=2, dash="dash")], "annotations": [label]}


def dots_range(dots: Sequence[Dot], people: float | None) -> list[float]:
    """Return the range of the axis: all intervals, one half and people, within 0 and 1."""
    values = [0.5] if people is None else [0.5, people]
    shares = [dot.share for dot in dots]
    values += [end for one in shares for end in (one.low, one.value, one.high) if end is not None]
    return [max(min(values) - 0.03, 0), min(max(values) + 0.03, 1)]


def fitting(names: Sequence[str], longest: int) -> list[str]:
    """Shorten names in their middle, unless two would then read the same."""
    tail = round(longest / 3)
    cut = [f"{name[: longest - tail - 1]}…{name[-tail:]}" if len(name) > longest else name for name in names]
    return [plain(name) for name in (cut if len(set(cut)) == len(names) else names)]
