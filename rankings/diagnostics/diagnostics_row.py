"""The dataclasses of diagnostics, for commands, pages and the HTTP API."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from evenhand.numerics.figure import CountedFigure, IntervalFigure, PlainFigure
from evenhand.numerics.reliability.calibration import CalibrationBin
from evenhand.report_json import Flat, Help, IfAny, Unwritten, as_json
from rankings.report.left_out import LeftOutParts, with_left_out
from rankings.report.long_lines import figure_lines, names_of, without
from rankings.report.null_pair_figures import NullPairs
from rankings.report.report_row import Counts
from rankings.report.run_names import RunName
from rankings.tables.long_form import LongForm


@dataclass(frozen=True)
class DifferencesAtP:
    """The differences of human scores of the comparisons with a p_first in one part of [0, 1]."""

    low: float
    high: float
    mean: CountedFigure
    deviation: PlainFigure


@dataclass(frozen=True)
class ScoreDifferences:
    """p_first and the difference of human scores: correlation, and joint distribution as a histogram."""

    correlation: IntervalFigure
    p_edges: list[float]
    difference_edges: list[float]
    counts: list[list[int]]
    by_p_first: list[DifferencesAtP]


@dataclass(frozen=True)
class Calibration:
    """The calibration of a run's probabilities against human preference."""

    expected_calibration_error: IntervalFigure
    brier_score: IntervalFigure
    bins: list[CalibrationBin]
    score_differences: ScoreDifferences


@dataclass(frozen=True)
class CyclicContext:
    """A context with cycles, and how many of its triads are cycles."""

    context: str
    cyclic: int
    triads: int


@dataclass(frozen=True)
class Consistency:
    """Shares of violations, and the contexts with cycles, those with the most first."""

    cyclic_triads: IntervalFigure
    weak_violations: IntervalFigure
    moderate_violations: IntervalFigure
    strong_violations: IntervalFigure
    contexts: list[CyclicContext]


@dataclass(frozen=True)
class Reliability:
    """The reliability of the scores by one ranking."""

    split_half: IntervalFigure
    separation_reliability: CountedFigure
    separation_index: PlainFigure


@dataclass(frozen=True)
class PoweredSystem:
    """Win rate and Bradley-Terry score of a system, by people alone and by people with the judge."""

    system: str
    labelled_pairs: int
    other_pairs: int
    win_rate_people: IntervalFigure
    win_rate: IntervalFigure
    win_rate_effective_n: IntervalFigure
    score_people: IntervalFigure
    score: IntervalFigure
    score_effective_n: IntervalFigure
    judge_alone: IntervalFigure
    sensitivity: IntervalFigure
    specificity: IntervalFigure
    rogan_gladen: IntervalFigure


@dataclass(frozen=True)
class PredictionPowered:
    """Prediction-powered estimates of human preference between systems."""

    labelled_pairs: int
    labelled_contexts: int
    other_pairs: int
    systems: list[PoweredSystem]
    undefined: IfAny[str] = None


@dataclass(frozen=True)
class VotesToBuy:
    """Contexts with votes that give the win rate of every system an interval of a width."""

    width: float
    contexts: Annotated[int, Help("Contexts with votes so far.")]
    people_alone: PlainFigure
    with_judge: PlainFigure


@dataclass(frozen=True)
class UnjudgedSystem:
    """A system that no person judged, and the win rate that people would give it, by the calibrated judge."""

    system: str
    win_rate: IntervalFigure


@dataclass(frozen=True)
class UnjudgedSystems:
    """How far the calibrated judge is from people on a system that it was not calibrated on, and those systems."""

    half_width: Annotated[CountedFigure, Help("n: systems that people judged.")]
    level: Annotated[PlainFigure, Help("Probability with which half_width holds; under 19 systems below 0.95.")]
    systems: list[UnjudgedSystem]


@dataclass(frozen=True)
class RaterFitRow:
    """The fit of one rater to the common scale."""

    name: str
    kind: Literal["human", "judge"]
    run: int | None
    infit: IntervalFigure
    outfit: IntervalFigure
    outside_usual_range: bool | None


@dataclass(frozen=True)
class RaterFit:
    """The fit of people and judges to one Bradley-Terry scale."""

    usual_range: list[float]
    raters: list[RaterFitRow]
    undefined: IfAny[str] = None


@dataclass(frozen=True)
class OwnDiagnostics:
    """The diagnostics that depend on one run and on human scores and votes only."""

    counts: Flat[Counts]
    calibration: Calibration
    consistency: Consistency
    reliability: Annotated[Mapping[str, Reliability], Help("By ranking.")]
    prediction_powered: PredictionPowered
    unjudged_systems: UnjudgedSystems


@dataclass(frozen=True)
class Diagnostics:
    """The diagnostics of a run; docs/reference/diagnostics.md defines each number.

    chose_pairs: the run chose pairs by its own answers. asks_null_pairs: the run has nothing but null pairs.
    """

    name: Flat[RunName]
    own: Flat[OwnDiagnostics]
    rater_fit: RaterFit
    votes_to_buy: VotesToBuy
    null_pairs: Annotated[NullPairs, Help("Of the latest run of this judge and prompt on null pairs.")]
    chose_pairs: Unwritten[bool]
    asks_null_pairs: Unwritten[bool] = False
    calibration_before: Annotated[IfAny[Calibration], Help("Of the one judge that the run calibrates.")] = None
    without: Annotated[IfAny[LeftOutParts], Help("What is left out, by the report or by the run.")] = None


def diagnostics_long_form(report: Diagnostics) -> LongForm:
    """Return every figure of the diagnostics of a run."""
    document = without(as_json(report), [*as_json(report.name), "without"])
    return with_left_out(LongForm(lambda: figure_lines(document, names_of(report.name))), report.without)
