"""The sentence on top of the page of the steering check."""

from __future__ import annotations

from evenhand.units import counted
from rankings.steering.steering_report import SteeringReport


def steering_sentence(report: SteeringReport) -> str:
    """Write how many texts match, and where most of them are."""
    texts = counted(report.texts, "text")
    if not report.matched:
        return f"None of {texts} has a label word, verdict or instruction to a judge."
    begin = f"{report.matched:,} of {texts} {'has' if report.matched == 1 else 'have'} a label word, verdict or"
    begin += " instruction to a judge."
    named = [one for one in report.systems if one.system and one.matched]
    if len(named) < 2:
        return begin
    most = max(named, key=lambda one: one.matched)
    return f"{begin} {most.system} wrote most of them: {most.matched:,} of its {most.texts:,}."
