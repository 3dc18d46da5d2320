"""A judge replaced by another: better, the same or worse by a margin. docs/reference/replaced-judges.md defines it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from typing import Annotated

from evenhand.numerics import DEFAULT_RANKING
from evenhand.numerics.intervals import FEWEST_CONTEXTS, ONE_OUTWEIGHS, TOO_FEW_CONTEXTS
from evenhand.numerics.significance.margins import VERDICTS, Verdict, verdict_by_margin
from evenhand.refusals import Refused, unknown_choice
from judging.models import Run
from rankings.compare.comparison_of_runs import FigureDifference
from rankings.compare.two_runs import COMPARED_RANKINGS, compare_runs
from rankings.report.left_out import LeftOutParts
from rankings.report.report_choice import USUAL_CHOICE, ReportChoice
from rankings.report.report_json import Flat, Help, IfAny, OneOf, PlainFigure
from rankings.report.run_names import RunName

LARGEST_MARGIN = {"accuracy": 1.0, "spearman": 2.0}
"""Figure by which judges are compared -> its range, which is no margin."""
NO_MARGIN = (
    "no number of comparisons can show that a judge loses nothing at all; give the largest loss that you accept, for "
    "example 0.02"
)


@dataclass(frozen=True)
class ReplacedSide:
    """One of the two runs, and its figure on the common pairs."""

    name: Flat[RunName]
    value: float | None


@dataclass(frozen=True)
class JudgeReplaced:
    """A new judge against an old one on the pairs that both answered."""

    dataset: str
    attribute: str
    old: ReplacedSide
    new: ReplacedSide
    figure: Annotated[str, OneOf(tuple(LARGEST_MARGIN))]
    ranking: Annotated[str | None, Help("Of Spearman's correlation; null for accuracy.")]
    margin: Annotated[float, Help("The largest loss that is acceptable, given beforehand.")]
    verdict: Annotated[Verdict, Help(f"On new minus old: {', '.join(VERDICTS)}.")]
    difference: Annotated[float | None, Help("New minus old.")]
    low: float | None
    high: float | None
    noise_floor: PlainFigure
    comparisons: Annotated[int, Help("Ordered pairs that both answered.")]
    contexts: int | None
    undefined: Annotated[IfAny[str], Help("Why there is no difference or no interval.")] = None
    without: Annotated[IfAny[LeftOutParts], Help("What is left out, by the report or by the runs.")] = None


def replace_judge(
    old: Run,
    new: Run,
    *,
    margin: float,
    figure: str = "accuracy",
    ranking: str = DEFAULT_RANKING,
    choice: ReportChoice = USUAL_CHOICE,
) -> JudgeReplaced:
    """Compare a new judge with an old one by one figure and a margin in units of that figure.

    ranking: for Spearman's correlation; two runs of scores are compared by their scores.
    Raises Refused, with every reason, for a margin or figure that is impossible, and like `compare_runs`.
    """
    if problems := [*_figure_problems(figure, ranking), *_margin_problems(margin, figure)]:
        raise Refused(*problems)
    compared = compare_runs(new, old, choice=choice)
    row = _row(compared.differences, figure, ranking)
    shared = {name: getattr(compared, name) for name in ("dataset", "attribute", "comparisons", "without")}
    shared |= {name: getattr(row, name) for name in ("ranking", "difference", "low", "high", "noise_floor", "contexts")}
    return JudgeReplaced(
        old=ReplacedSide(compared.other.name, row.other),
        new=ReplacedSide(compared.one.name, row.one),
        figure=figure,
        margin=margin,
        verdict=verdict_by_margin(row.low, row.high, margin),
        undefined=_why_open(row),
        **shared,
    )


def _why_open(row: FigureDifference) -> str | None:
    """Return the reason why a difference has no interval, which needs fewer contexts than a test."""
    if row.difference is None or row.low is not None:
        return row.undefined if row.difference is None else None
    return TOO_FEW_CONTEXTS if (row.contexts or 0) < FEWEST_CONTEXTS else ONE_OUTWEIGHS


def _figure_problems(figure: str, ranking: str) -> Iterator[str]:
    if figure not in LARGEST_MARGIN:
        yield unknown_choice("figure", figure, LARGEST_MARGIN)
    if ranking not in COMPARED_RANKINGS:
        yield unknown_choice("ranking", ranking, COMPARED_RANKINGS)


def _margin_problems(margin: float, figure: str) -> Iterator[str]:
    largest = LARGEST_MARGIN.get(figure, 1.0)
    if margin == 0:
        yield f"margin: 0 — {NO_MARGIN}"
    elif not isfinite(margin) or not 0 < margin < largest:
        yield f"margin: {margin:g} — give a number above 0 and below {largest:g}; 2 percentage points are 0.02"


def _row(differences: list[FigureDifference], figure: str, ranking: str) -> FigureDifference:
    """Return the difference by the figure. Two scoring runs have one ranking, their scores."""
    rows = [row for row in differences if row.figure == figure]
    return next((row for row in rows if row.ranking == ranking), rows[0])
