"""The dataclasses of comparisons of runs, for commands, pages and the HTTP API."""

from dataclasses import dataclass
from typing import Annotated, Literal

from evenhand.numerics import DEFAULT_RANKING
from evenhand.numerics.figure import CountedFigure, IntervalFigure, PlainFigure
from evenhand.report_json import Flat, Help, IfAny
from rankings.report.left_out import LeftOutParts
from rankings.report.pages.headline_figures import variant_title
from rankings.report.run_names import RunName


@dataclass(frozen=True)
class SideRow:
    """One of two runs, on the pairs that both answered."""

    name: Flat[RunName]
    accuracy: IntervalFigure
    p_first: IntervalFigure
    order_agreement: IntervalFigure


@dataclass(frozen=True)
class Difference:
    """One run minus the other, by a figure. Numbers that do not exist are null, with the reason under `undefined`.

    ranking: None for accuracy.
    """

    ranking: str | None
    difference: float | None
    low: float | None
    high: float | None
    p_value: Annotated[float | None, Help("From random signs of the contexts' differences.")]
    p_value_holm: float | None
    perm_both: Annotated[CountedFigure, Help("p-value by PERM-BOTH: from swapping candidates' two scores.")]
    contexts: int | None
    undefined: IfAny[str]


@dataclass(frozen=True)
class FigureDifference(Difference):
    """The difference of two runs by one figure. one, other: the figure of each run."""

    figure: str
    one: float | None
    other: float | None
    noise_floor: Annotated[PlainFigure, Help("Asking again moves the difference by more than this in 5 % of cases.")]


@dataclass(frozen=True)
class McNemar:
    """McNemar's exact test of equal accuracy."""

    only_one_right: int
    only_other_right: int
    n: int
    p_value: float | None
    undefined: IfAny[str] = None


@dataclass(frozen=True)
class PooledTest:
    """A test of two correlations that share a variable."""

    statistic: float | None
    p_value: float | None
    undefined: IfAny[str] = None


@dataclass(frozen=True)
class PooledTests:
    """Spearman's correlation of each run with people and with the other run, over all candidates pooled."""

    ranking: str
    one: float | None
    other: float | None
    between: float | None
    candidates: int | None
    undefined: IfAny[str]
    williams: PooledTest
    steiger: PooledTest


@dataclass(frozen=True)
class RunsCompared:
    """Two runs on the pairs that both answered, one minus other; docs/reference/agreement.md defines each number."""

    dataset: str
    attribute: str
    one: SideRow
    other: SideRow
    comparisons: Annotated[int, Help("Ordered pairs that both answered.")]
    pairs: Annotated[int, Help("Unordered pairs among them.")]
    contexts: Annotated[int, Help("Contexts with such a pair.")]
    percent_agreement: IntervalFigure
    cohen_kappa: IntervalFigure
    differences: list[FigureDifference]
    mcnemar: McNemar
    pooled: list[PooledTests]
    order: Annotated[IfAny[Literal["given"]], Help("Only comparisons in the dataset's order were read.")] = None
    without: Annotated[IfAny[LeftOutParts], Help("What is left out, by the report or by the runs.")] = None


@dataclass(frozen=True)
class ComparedRun:
    """One of several runs, and the number of its comparisons."""

    name: Flat[RunName]
    comparisons: int


@dataclass(frozen=True)
class SimpleJudge:
    """A judge that reads nothing, on every ordered pair that some run answered."""

    judge: str
    accuracy: IntervalFigure
    spearman: Annotated[IntervalFigure, Help("Mean over contexts, with the lengths of texts as scores.")]


@dataclass(frozen=True)
class LeftOut:
    """A run that shares no pair with the others, or has no answer."""

    name: Flat[RunName]
    why: str


Standing = Literal["best", "not worse", "worse", "not tested"]
"""A run against the best, by p-values that Holm's method adjusts for the tests against the best alone."""


@dataclass(frozen=True)
class FigureOfRun:
    """A figure of one run, and the letters of its groups. ranking: None for accuracy."""

    run: int
    ranking: str | None
    figure: Flat[IntervalFigure]
    letters: list[str]
    against_best: Annotated[Standing | None, Help("By the tests against the best run; null without the figure.")] = None

    @property
    def is_share(self) -> bool:
        return self.ranking is None


@dataclass(frozen=True)
class LetterGroup:
    """Runs that do not differ."""

    letter: str
    runs: list[int]


@dataclass(frozen=True)
class PairDifference(Difference):
    """The difference of a figure between two of several runs. p-values are adjusted for all pairs."""

    one: int
    other: int
    comparisons: int
    p_value_benjamini_hochberg: float | None
    different: bool | None


@dataclass(frozen=True)
class FigureCompared:
    """One figure: the runs, best first, and the differences of all pairs."""

    figure: str
    runs: list[FigureOfRun]
    groups: list[LetterGroup]
    pairs: list[PairDifference]

    def standing(self, standing: Standing) -> list[int]:
        """Return the runs that stand to the best in this way, in order."""
        return [row.run for row in self.runs if row.against_best == standing]

    @property
    def is_share(self) -> bool:
        return self.figure == "accuracy"

    @property
    def variant(self) -> str:
        """Return the ranking of the scores, and their variant: "Bradley-Terry, raw"."""
        return variant_title(next((row.ranking for row in self.runs if row.ranking), DEFAULT_RANKING))

    @property
    def title(self) -> str:
        """Return the name of the figure; a correlation with its ranking and variant."""
        return "Accuracy" if self.is_share else f"Spearman per context ({self.variant})"


@dataclass(frozen=True)
class AllCompared:
    """The differences of all pairs of runs, and groups of runs that do not differ (docs/reference/agreement.md)."""

    dataset: str
    attribute: str
    level: Annotated[float, Help("Of the p-values adjusted by Holm, below which two runs differ.")]
    runs: list[ComparedRun]
    left_out: list[LeftOut]
    figures: list[FigureCompared]
    simple_judges: Annotated[list[SimpleJudge], Help("Judges that read nothing, to compare with.")]
    order: Annotated[IfAny[Literal["given"]], Help("Only comparisons in the dataset's order were read.")] = None
    without: Annotated[IfAny[LeftOutParts], Help("What is left out, by the report or by the runs.")] = None
