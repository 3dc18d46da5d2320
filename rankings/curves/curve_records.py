"""The points of ranking curves, and the worth of each point in votes, as the JSON of a report has them."""

from dataclasses import dataclass
from typing import Annotated, Literal

from evenhand.report_json import Help, IfAny, Unwritten
from judging.models import Run
from rankings.report.figure_shapes import PlainFigure
from rankings.report.left_out import LeftOutParts


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
