"""A judge replaced by another: better, the same or worse by a margin. docs/reference/replaced-judges.md defines it."""

from dataclasses import dataclass
from typing import Annotated, Literal, get_args

from evenhand.numerics import DEFAULT_RANKING
from evenhand.numerics.figure import PlainFigure
from evenhand.numerics.intervals import FEWEST_CONTEXTS, ONE_OUTWEIGHS, TOO_FEW_CONTEXTS
from evenhand.numerics.significance.margins import VERDICTS, Verdict, verdict_by_margin
from evenhand.options import Option
from evenhand.refusals import Refused
from evenhand.report_json import Flat, Help, IfAny, OneOf
from judging.models import Run
from rankings.compare.comparison_of_runs import FigureDifference
from rankings.compare.two_runs import COMPARED_RANKINGS, compare_runs
from rankings.report.left_out import LeftOutParts
from rankings.report.printed_numbers import ranking_title
from rankings.report.report_choice import USUAL_CHOICE, ReportChoice
from rankings.report.run_names import RunName

FigureOfJudges = Literal["accuracy", "spearman"]
"""Figure by which judges are compared."""


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
    figure: Annotated[str, OneOf(get_args(FigureOfJudges))]
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
    choice: ReportChoice = USUAL_CHOICE,
    *,
    margin: Annotated[
        float,
        Option(
            "The largest loss that you accept, in units of the figure: 0.02 is 2 points of accuracy. Choose it before "
            "you look at the difference.",
            "Margin",
            above=0,
            below=2,
        ),
    ],
    figure: Annotated[
        FigureOfJudges,
        Option("What is compared.", "Figure", choices={"accuracy": "accuracy", "spearman": "Spearman per context"}),
    ] = "accuracy",
    ranking: Annotated[
        str,
        Option(
            "For spearman. Two runs of scores are compared by their scores.",
            "Ranking for Spearman",
            choices={name: ranking_title(name) for name in COMPARED_RANKINGS},
        ),
    ] = DEFAULT_RANKING,
) -> JudgeReplaced:
    """Print whether a new judge is better, the same or worse than an old one on the pairs that both runs answered, by
    a margin given beforehand. Exit status: 0 better, same or not worse; 1 worse; 3 undecided; 2 bad input.

    Raises Refused for a margin that is the range of the figure, and like `compare_runs`.
    """
    if figure == "accuracy" and margin >= 1:
        raise Refused(f"margin: {margin:g} — give a number below 1; 2 percentage points are 0.02")
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


def _row(differences: list[FigureDifference], figure: str, ranking: str) -> FigureDifference:
    """Return the difference by the figure. Two scoring runs have one ranking, their scores."""
    rows = [row for row in differences if row.figure == figure]
    return next((row for row in rows if row.ranking == ranking), rows[0])
