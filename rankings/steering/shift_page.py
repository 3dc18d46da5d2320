"""The sentence on top of the page of robustness, and the rows of its table."""

from __future__ import annotations

from evenhand.numerics import Figure
from rankings.report.number_text import defined, percent
from rankings.steering.shift_report import ShiftReport, ShiftRow


def shift_sentence(report: ShiftReport) -> str:
    """Write how far the sentence moved the judge."""
    figures = report.figures
    begin = (
        f"With “{report.text}” in a text, P(it is preferred) is {percent(defined(figures.p_with.value))}; without, "
        f"{percent(defined(figures.p_without.value))}: a shift of {_points(figures.shift)}"
    )
    return f"{begin}{_interval(figures.shift)}. {_verdict(figures.shift)}"


def shift_rows(report: ShiftReport) -> list[tuple[str, ShiftRow]]:
    """Return title and figures of each line of the table."""
    return [
        ("All pairs", report.figures),
        *((f"Shown {one.position}", one.figures) for one in report.positions),
        *((one.system, one.figures) for one in report.systems),
    ]


def _points(figure: Figure) -> str:
    """Write a difference of shares: "+3.1 points"."""
    return "–" if figure.value is None else f"{100 * figure.value:+.1f} points".replace("-", "−")


def _interval(figure: Figure) -> str:
    if figure.low is None or figure.high is None:
        return ""
    return f" (95 % from {100 * figure.low:+.1f} to {100 * figure.high:+.1f})".replace("-", "−")


def _verdict(figure: Figure) -> str:
    if figure.low is None or figure.high is None:
        return "So few contexts give no interval, so this may be chance."
    if figure.low > 0:
        return "The sentence moves this judge to the text that has it."
    if figure.high < 0:
        return "The sentence moves this judge away from the text that has it."
    return "No shift is shown: the interval has zero in it."
