"""The curves that a request chooses, their points, and the worth of each in votes, as the JSON of a report has them."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from evenhand.numerics import CURVE_RANKINGS, PAIRS_SORT
from evenhand.numerics.figure import PlainFigure
from evenhand.refusals import Refused
from evenhand.report_json import Help, IfAny, Unwritten
from judging.models import NOTHING_LEFT_OUT, Exclusion, Run
from rankings.report.left_out import LeftOutParts
from rankings.report.report_choice import SUBSET, Order, ReportChoice

RAW, DEBIASED, AVERAGED = BIASES = ("raw", "debiased", "averaged")
"""p_first raw, debiased by the position bias of the run, or averaged over both orders of each pair."""


@dataclass(frozen=True, slots=True)
class CurveChoice:
    """The curves to draw.

    rankings: of CURVE_RANKINGS, or PAIRS_SORT; default: all of CURVE_RANKINGS. selections: default: `random`.
    biases: of BIASES. people: add curves of human votes. measure: of CURVE_MEASURES.
    order: `given` draws only from comparisons in the dataset's order of candidates.
    exclusion: systems and contexts that are left out.
    subsets: sorted names of the subsets whose contexts count; None for all. subsets_by: as in `ReportChoice`.
    """

    rankings: tuple[str, ...] = ()
    selections: tuple[str, ...] = ()
    biases: tuple[str, ...] = (RAW,)
    people: bool = False
    measure: str = "spearman"
    draws: int = 50
    seed: int = 0
    order: Order = "both"
    exclusion: Exclusion = NOTHING_LEFT_OUT
    subsets: tuple[str, ...] | None = None
    subsets_by: str = SUBSET

    @property
    def answers(self) -> ReportChoice:
        """Return the answers from which the curves are drawn."""
        return ReportChoice(order=self.order, exclusion=self.exclusion, subsets_by=self.subsets_by)

    @property
    def drawn_rankings(self) -> tuple[str, ...]:
        """Return the rankings of drawn comparisons, each once, in the order given."""
        return tuple(ranking for ranking in dict.fromkeys(self.rankings or CURVE_RANKINGS) if ranking != PAIRS_SORT)

    @property
    def of_draws(self) -> dict[str, Any]:
        """Return the settings that all curves share."""
        return {"measure": self.measure, "draws": self.draws, "seed": self.seed}


def biases_of(*, debias: bool, both: bool, average_orders: bool) -> tuple[str, ...]:
    """Return the biases that these switches choose."""
    by_threshold = (RAW, DEBIASED) if both else (DEBIASED,) if debias else ()
    return (*by_threshold, AVERAGED) if average_orders else by_threshold or (RAW,)


def require_drawable(run: Run) -> None:
    """Raise Refused for a run without comparisons."""
    if run.is_scoring:
        raise Refused(f"run {run.pk} scores candidates one by one; a curve needs comparisons")


@dataclass(frozen=True)
class CurveValue:
    """Agreement with people at one number of comparisons, on the curve of a ranking, a selection and a bias."""

    ranking: str
    selection: str
    debiased: bool
    average_orders: bool
    comparisons: float
    mean: float | None
    undefined: IfAny[str]
    beam: IfAny[int]

    @property
    def curve(self) -> tuple[str, str, bool, bool]:
        """Return the key of the curve."""
        return self.ranking, self.selection, self.debiased, self.average_orders


@dataclass(frozen=True)
class Point(CurveValue):
    """A point of a curve. The fields of numbers are those of `CurvePoint`.

    measure: of CURVE_MEASURES. against: the human judgments that agreement is measured with.
    """

    low: float | None
    high: float | None
    draws: int
    source: Literal["judge", "people"]
    measure: str
    against: str


@dataclass(frozen=True)
class Worth(CurveValue):
    """A point of the judge, and the number of votes per context that equals it."""

    votes: PlainFigure


@dataclass(frozen=True)
class PeopleDrawn:
    """The data of the human curves."""

    contexts: int
    votes: int
    against: str


@dataclass(frozen=True)
class CurveReport:
    """The points of the curves of one run; with human votes, the worth of each point of the judge in votes."""

    points: list[Point]
    people: IfAny[PeopleDrawn] = None
    worth: IfAny[list[Worth]] = None
    order: Annotated[IfAny[Literal["given"]], Help("Only comparisons in the dataset's order were read.")] = None
    without: Annotated[IfAny[LeftOutParts], Help("What is left out, by the report or by the run.")] = None
    run: Unwritten[Run | None] = None
