"""`ReportRow`: one run over all its contexts or a subset. The figures are defined in figure_definitions.py."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from evenhand.numerics import Figure
from evenhand.numerics.correlation.coefficients import Level
from evenhand.numerics.correlation.soft_pairwise_accuracy import SoftPairwiseAccuracy
from evenhand.numerics.figure import IntervalFigure, PlainFigure
from evenhand.numerics.reliability.label_mass import MassFigure
from evenhand.numerics.reliability.trust.trust_checks import CHECKS
from evenhand.numerics.reliability.trust.trust_findings import CheckState
from evenhand.report_json import Carries, Flat, Help, IfAny, OneOf, Unwritten
from rankings.report.figures.figure_basis import FigureDefinition
from rankings.report.figures.simple_judges import PEOPLE, ForComparison
from rankings.report.left_out import ExcludedVotes, LeftOutParts
from rankings.report.pair_digests import Asked
from rankings.report.report_choice import ALL
from rankings.report.run_names import RunName

LEVEL_MEANINGS: Mapping[Level, str] = {
    "per_context": "mean over contexts",
    "pooled": "all candidates pooled",
    "system": "between systems",
}


@dataclass(frozen=True)
class Coefficient:
    """A coefficient at one level. epsilon: largest difference of tied scores. all_tied: value if every pair is tied."""

    value: float | None
    undefined: str = ""
    low: float | None = None
    high: float | None = None
    epsilon: float | None = None
    all_tied: float | None = None


@dataclass(frozen=True, kw_only=True)
class CorrelationBlock:
    """A correlation of one ranking with human scores, at three levels. undefined: field -> why it is None.

    per_context: mean over contexts. pooled: over all candidates. system: between systems.
    """

    per_context: float | None
    contexts: int
    skipped: int
    pooled: float | None
    system: float | None
    per_context_low: float | None = None
    per_context_high: float | None = None
    system_low: float | None = None
    system_high: float | None = None
    undefined: IfAny[Mapping[str, str]] = None

    def at(self, level: Level) -> Coefficient:
        """Return the coefficient at one level."""
        parts = {name: getattr(self, f"{level}_{name}", None) for name in ("low", "high", "epsilon", "all_tied")}
        return Coefficient(getattr(self, level), (self.undefined or {}).get(level, ""), **parts)

    def figure(self, level: Level) -> Figure:
        """Return the coefficient at one level. n: of pairs for an accuracy with ties, else of contexts of a mean."""
        one = self.at(level)
        n = getattr(self, f"{level}_pairs", self.contexts if level == "per_context" else None)
        return Figure(one.value, one.low, one.high, n, one.undefined or None)


@dataclass(frozen=True, kw_only=True)
class AccuracyWithTiesBlock(CorrelationBlock):
    """The share of pairs that a ranking orders, or ties, as people do, at the best threshold of each level."""

    per_context_epsilon: Annotated[float | None, Help("Scores that differ by no more are tied.")] = None
    per_context_pairs: int = 0
    per_context_all_tied: Annotated[float | None, Help("The share of a judge that calls every pair a tie.")] = None
    pooled_epsilon: float | None = None
    pooled_pairs: int = 0
    pooled_all_tied: float | None = None
    system_epsilon: float | None = None
    system_pairs: int = 0
    system_all_tied: float | None = None


OF_THINKING = Help("Of runs whose judge thinks before it compares.")
NOT_OF_SCORES = Help("Not of a run that scores candidates one by one.")


@dataclass(frozen=True)
class Correlations:
    """A correlation of one ranking, raw and debiased."""

    raw: CorrelationBlock
    debiased: Annotated[IfAny[CorrelationBlock], NOT_OF_SCORES] = None


@dataclass(frozen=True)
class AccuraciesWithTies:
    """The accuracy with ties of one ranking, raw and debiased."""

    raw: AccuracyWithTiesBlock
    debiased: Annotated[IfAny[AccuracyWithTiesBlock], NOT_OF_SCORES] = None


SoftFigure = Annotated[SoftPairwiseAccuracy, Carries(("pairs", "contexts"))]


@dataclass(frozen=True)
class SoftPairwiseAccuracies:
    """The soft pairwise accuracy of one ranking, raw and debiased."""

    raw: SoftFigure
    debiased: Annotated[IfAny[SoftFigure], NOT_OF_SCORES] = None


@dataclass(frozen=True)
class GapAccuracy:
    """Accuracy on pairs whose texts differ in length by a share of the longer text."""

    gap_from: Annotated[float, Help("Smallest difference in length, as a share of the longer text.")]
    gap_to: float
    accuracy: Flat[IntervalFigure]


@dataclass(frozen=True)
class LengthPreference:
    """Share of the decisions for the longer text, and accuracy by difference in length."""

    share: Flat[IntervalFigure]
    human: IntervalFigure
    accuracy_longer_right: IntervalFigure
    accuracy_shorter_right: IntervalFigure
    accuracy_by_gap: list[GapAccuracy]


@dataclass(frozen=True)
class SelfPreference:
    """Share of the decisions for the text of the judge's own family."""

    share: Flat[IntervalFigure]
    human: IntervalFigure
    family: Annotated[str | None, Help("Guessed from the judge's name; null for none.")]
    judge: Annotated[str, Help("The name that shows the family.")]
    systems: Annotated[list[str], Help("Systems of the same family.")]


@dataclass(frozen=True)
class ContextsNeeded:
    """How many contexts would decide a check that cannot tell."""

    needed: Annotated[int | None, Help("Only where a check cannot tell; null where no number would do.")]


@dataclass(frozen=True)
class CheckInterval:
    """The interval of a check that has one; null where it is undefined."""

    low: float | None
    high: float | None


@dataclass(frozen=True)
class TrustCheck:
    """The result of one condition that should hold before figures are trusted."""

    check: Annotated[str, OneOf(tuple(CHECKS))]
    state: CheckState
    value: Annotated[float | None, Help("Null where the check does not apply.")]
    interval: Flat[IfAny[CheckInterval]]
    limit: Annotated[float | None, Help("The value is compared with it.")]
    why: str
    more: Flat[IfAny[ContextsNeeded]] = None
    undefined: Annotated[IfAny[str], Help("Why the value, its interval or `needed` is null.")] = None

    @property
    def title(self) -> str:
        """Return the title on pages."""
        return CHECKS[self.check].title


@dataclass(frozen=True)
class Counts:
    """How many questions have an answer, how many answers could not be parsed, and how many questions failed."""

    comparisons: Annotated[int, Help("Answers; for a run that scores, scores.")]
    unparsed: int
    errors: int


@dataclass(frozen=True)
class HoldOut:
    """The figures of an adaptive run on pairs drawn at random before its first answer."""

    comparisons: int
    p_first: IntervalFigure
    order_agreement: IntervalFigure
    accuracy: IntervalFigure


@dataclass(frozen=True, kw_only=True)
class OverCandidates:
    """Figures of a row with a single context. Their intervals are over candidates drawn with replacement.

    interval_unit: what is drawn: "candidates".
    """

    interval_unit: Literal["candidates"] = "candidates"
    accuracy: IntervalFigure
    accuracy_debiased: IntervalFigure
    p_first: IntervalFigure
    p_first_debiased: IntervalFigure


@dataclass(frozen=True, kw_only=True)
class ReportRow:
    """One run, over all its contexts (`all`) or over those of a subset."""

    name: Flat[RunName]
    subset: str
    counts: Flat[Counts]
    p_first: IntervalFigure
    order_agreement: IntervalFigure
    threshold: PlainFigure
    alpha: PlainFigure
    p_first_debiased: IntervalFigure
    accuracy: IntervalFigure
    accuracy_debiased: IntervalFigure
    accuracy_both_orders: IntervalFigure
    accuracy_macro: Annotated[IfAny[IntervalFigure], Help("Of the row `all` and of groups.")]
    human: IntervalFigure
    spearman: Annotated[dict[str, Correlations], Help("By ranking.")]
    kendall: Annotated[dict[str, Correlations], Help("By ranking.")]
    pearson: Annotated[dict[str, Correlations], Help("By ranking.")]
    kendall_c: Annotated[dict[str, Correlations], Help("By ranking.")]
    accuracy_with_ties: Annotated[dict[str, AccuraciesWithTies], Help("By ranking.")]
    soft_pairwise_accuracy: Annotated[dict[str, SoftPairwiseAccuracies], Help("By ranking.")]
    p_second: IntervalFigure
    human_p_first: IntervalFigure
    flip_rate: IntervalFigure
    accuracy_averaged: IntervalFigure
    accuracy_per_vote: IntervalFigure
    accuracy_per_vote_decided: IntervalFigure
    kappa: IntervalFigure
    label_mass: Annotated[
        MassFigure, Carries(("low", "high", "n", "below")), Help("Mean probability that fell on the label words.")
    ]
    thinking_shift: Annotated[IfAny[IntervalFigure], Help("Of runs whose judge thinks before it answers.")]
    thinking_flips: Annotated[IfAny[IntervalFigure], OF_THINKING]
    length_preference: LengthPreference
    self_preference: SelfPreference
    trust: list[TrustCheck]
    for_comparison: Annotated[list[ForComparison], Help("People, and judges that read nothing, on the same pairs.")]
    hold_out: Annotated[IfAny[HoldOut], Help("Of adaptive runs only.")] = None
    over_candidates: Annotated[IfAny[OverCandidates], Help("Of comparisons of a single context only.")] = None
    subsets: Annotated[IfAny[Sequence[str]], Help("Of a group of subsets only: their names.")] = None
    excluded_votes: Annotated[
        IfAny[ExcludedVotes], Help("Votes on the attribute that researchers excluded, with their reasons.")
    ] = None
    without: Annotated[IfAny[LeftOutParts], Help("What is left out, by the report or by the run itself.")] = None
    decided_by_scores: Annotated[
        IfAny[int], Help("Comparisons in the accuracy that human scores decide; votes decide the others.")
    ] = None
    bounded: Annotated[
        IfAny[int], Help("Answers whose decision is certain and whose p_first is unknown; figures of p lack them.")
    ] = None
    unrecorded: Annotated[IfAny[Sequence[str]], Help("Of the row `all` only: subsets without a record of the run.")] = (
        None
    )
    subsets_by: Annotated[IfAny[str], Help("The field of contexts whose values are the subsets.")] = None
    order: Annotated[IfAny[Literal["given"]], Help("Only comparisons in the dataset's order were read.")] = None
    unparsed_as: Annotated[
        IfAny[Literal["wrong"]], Help("Unparsed answers and errors count as wrong in every accuracy.")
    ] = None
    asked: Unwritten[Asked | None] = None

    @property
    def bounded_sentence(self) -> str:
        """Return how many probabilities the figures of the row lack; empty if they lack none."""
        if not self.bounded:
            return ""
        return (
            f"{self.bounded:,} of {self.counts.comparisons:,} answers are bounded: the endpoint did not list one "
            "label word, so the decision is certain and its probability unknown. Figures of probabilities (threshold, "
            "average probability, PoE, likelihood, calibration) lack them; figures of decisions include them."
        )

    @property
    def ceiling(self) -> Figure:
        """Return the agreement of people, where votes alone decide the accuracy, as they decide the agreement."""
        return next(one.accuracy for one in self.for_comparison if one.name == PEOPLE)

    @property
    def is_whole(self) -> bool:
        """Return True if the row covers all contexts of the run."""
        return self.subset == ALL

    def value_of(self, definition: FigureDefinition) -> Figure | None:
        """Return the figure of a definition; None where this row lacks it."""
        figure: Figure | None = getattr(self, definition.name)
        return figure
