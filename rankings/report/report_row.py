"""`ReportRow`: one run over all its contexts or a subset. To add a figure, add a field with its definition here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Annotated, Literal

from rankings.numerics import (
    Figure,
    accuracy,
    accuracy_averaged,
    accuracy_both_orders,
    accuracy_macro,
    first_share,
    human_agreement,
)
from rankings.numerics.reliability.trust_checks import CHECKS
from rankings.report.figure_definitions import ALL, DEFINITION, Basis, FigureDefinition
from rankings.report.report_json import CountedFigure, Flat, Help, IfAny, IntervalFigure, OneOf, PlainFigure
from rankings.report.run_names import RunName

NO_ORDER = "a run that scores candidates one by one shows no pair, so it has no position bias"
ONE_ORDER = "a run that scores candidates one by one shows no pair in two orders"
NO_SUBSETS = "the dataset has no subsets"
NO_VOTES = "the attribute has no votes"
NO_VOTES_HERE = "nobody voted on these contexts"
ORDERLESS = Figure.missing(NO_ORDER)
ONE_ORDER_ONLY = Figure.missing(ONE_ORDER, n=0)

Level = Literal["per_context", "pooled", "system"]
LEVELS: tuple[Level, ...] = ("per_context", "pooled", "system")
CHECK_TITLES = {
    "connected": "comparisons connected",
    "won-and-lost": "every candidate won and lost",
    "unparsed": "few unparsed answers",
    "errors": "few errors",
    "both-orders": "both orders present",
    "chosen-by-answers": "pairs not chosen by answers",
    "human-overlap": "enough human overlap",
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
class Levels:
    """A coefficient at three levels: mean over contexts, all candidates pooled, and between systems."""

    per_context: float | None
    contexts: int
    skipped: int
    pooled: float | None
    system: float | None
    per_context_low: float | None = None
    per_context_high: float | None = None
    system_low: float | None = None
    system_high: float | None = None


@dataclass(frozen=True, kw_only=True)
class CorrelationBlock(Levels):
    """A correlation of one ranking with human scores. undefined: field -> why it is None."""

    undefined: IfAny[Mapping[str, str]] = None

    def at(self, level: Level) -> Coefficient:
        """Return the coefficient at one level."""
        return _at(self, level, self.undefined)


@dataclass(frozen=True, kw_only=True)
class AccuracyWithTiesBlock(Levels):
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
    undefined: IfAny[Mapping[str, str]] = None

    def at(self, level: Level) -> Coefficient:
        """Return the share at one level."""
        return _at(self, level, self.undefined)


def _at(block: Levels, level: Level, undefined: Mapping[str, str] | None) -> Coefficient:
    parts = {name: getattr(block, f"{level}_{name}", None) for name in ("low", "high", "epsilon", "all_tied")}
    return Coefficient(getattr(block, level), (undefined or {}).get(level, ""), **parts)


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
    judge: Annotated[str, Help("The name that was looked at.")]
    systems: Annotated[list[str], Help("Those of the same family.")]


@dataclass(frozen=True)
class TrustCheck:
    """The result of one condition that should hold before figures are trusted."""

    check: Annotated[str, OneOf(tuple(CHECKS))]
    state: Literal["passed", "failed", "not applicable"]
    value: Annotated[float | None, Help("Null where the check does not apply.")]
    limit: float
    why: str
    undefined: Annotated[IfAny[str], Help("Why the value is null.")] = None

    @property
    def title(self) -> str:
        """Return the title on pages."""
        return CHECK_TITLES[self.check]


@dataclass(frozen=True)
class Counts:
    """How many questions have an answer, how many answers could not be parsed, and how many questions failed."""

    comparisons: Annotated[int, Help("Answers; of a run that scores, scores.")]
    unparsed: int
    errors: int


@dataclass(frozen=True)
class HoldOut:
    """The figures of an adaptive run on pairs drawn at random before its first answer."""

    comparisons: int
    p_first: IntervalFigure
    order_agreement: CountedFigure
    accuracy: IntervalFigure


def _human_p_first(basis: Basis) -> Figure:
    if len(basis.votes):
        return first_share(basis.votes.comparisons)
    return Figure.missing(NO_VOTES_HERE if len(basis.people.votes) else NO_VOTES, n=0)


def _human(basis: Basis) -> Figure:
    votes = basis.people.votes
    return human_agreement(votes, basis.recorded) if len(votes) else Figure.missing(NO_VOTES, n=0)


def _accuracy_macro(basis: Basis) -> Figure | None:
    if basis.subset != ALL:
        return None
    if not basis.subset_names:
        return Figure.missing(NO_SUBSETS, n=0)
    return accuracy_macro(basis.comparisons, basis.right, basis.subset_numbers)


@dataclass(frozen=True, kw_only=True)
class ReportRow:
    """One run, over all its contexts (`all`) or over those of a subset."""

    name: Flat[RunName]
    subset: str
    counts: Flat[Counts]
    p_first: IntervalFigure = field(
        metadata={
            DEFINITION: FigureDefinition(
                title="P(first)",
                meaning="Share of the decisions for the text shown first; without bias one half.",
                compute=lambda basis: basis.p_first,
                of_scores=ORDERLESS,
                section="bias",
                place=10,
                heading="P(first)",
                tables=("runs", "subsets"),
                column="P(first)",
            )
        }
    )
    order_agreement: CountedFigure = field(
        metadata={
            DEFINITION: FigureDefinition(
                title="Order agreement",
                meaning="Share of the pairs whose outcome stays the same when the order is swapped.",
                compute=lambda basis: basis.order_agreement,
                of_scores=ORDERLESS,
                section="bias",
                place=13,
                heading="Order agreement",
                tables=("runs", "subsets"),
                column="Same in both orders",
            )
        }
    )
    threshold: PlainFigure = field(
        metadata={
            DEFINITION: FigureDefinition(
                title="Threshold τ",
                meaning="The median P(first): above it the decision is “first” when debiased.",
                compute=lambda basis: basis.of_comparisons.threshold,
                of_scores=ORDERLESS,
                section="bias",
                place=15,
                is_share=False,
            )
        }
    )
    alpha: PlainFigure = field(
        metadata={
            DEFINITION: FigureDefinition(
                title="Alpha",
                meaning="(1 − τ) / τ: the factor by which debiasing reduces the odds of the first text.",
                compute=lambda basis: basis.of_comparisons.alpha,
                of_scores=ORDERLESS,
                section="bias",
                place=16,
                is_share=False,
            )
        }
    )
    p_first_debiased: IntervalFigure = field(
        metadata={
            DEFINITION: FigureDefinition(
                title="P(first), debiased",
                meaning="Share of the decisions for the first text at the threshold τ.",
                compute=lambda basis: first_share(basis.comparisons, basis.debiased_decisions),
                of_scores=ORDERLESS,
                section="bias",
                place=17,
            )
        }
    )
    accuracy: IntervalFigure = field(
        metadata={
            DEFINITION: FigureDefinition(
                title="Accuracy",
                meaning=(
                    "Share of the comparisons that people decided where the judge decides the same; "
                    "a tie counts one half."
                ),
                compute=lambda basis: accuracy(basis.comparisons, basis.right),
                section="agreement",
                place=1,
                heading="Accuracy",
                tables=("runs", "subsets"),
                column="Accuracy",
            )
        }
    )
    accuracy_debiased: IntervalFigure = field(
        metadata={
            DEFINITION: FigureDefinition(
                title="Accuracy, debiased",
                meaning="Accuracy with decisions at the threshold τ instead of one half.",
                compute=lambda basis: accuracy(basis.comparisons, basis.right, basis.debiased_decisions),
                of_scores=ORDERLESS,
                section="agreement",
                place=2,
                heading="Accuracy, debiased",
                tables=("runs", "subsets"),
            )
        }
    )
    accuracy_both_orders: IntervalFigure = field(
        metadata={
            DEFINITION: FigureDefinition(
                title="Right in both orders",
                meaning="Share of the pairs decided correctly in both orders.",
                compute=lambda basis: accuracy_both_orders(basis.comparisons, basis.right),
                of_scores=ONE_ORDER_ONLY,
                section="agreement",
                place=4,
                heading="Right in both orders",
                tables=("runs", "subsets"),
            )
        }
    )
    accuracy_macro: Annotated[IfAny[IntervalFigure], Help("Of the row `all` only.")] = field(
        metadata={
            DEFINITION: FigureDefinition(
                title="Accuracy, mean of subsets",
                meaning="Plain mean of the accuracies of the subsets.",
                compute=_accuracy_macro,
                section="agreement",
                place=5,
                needs_subsets=True,
            )
        }
    )
    human: CountedFigure = field(
        metadata={
            DEFINITION: FigureDefinition(
                title="People, for comparison",
                meaning="Share of the votes of a person that agree with the majority of the other people.",
                compute=_human,
                section="agreement",
                place=6,
                heading="People",
                tables=("subsets",),
            )
        }
    )
    spearman: Annotated[dict[str, Correlations], Help("By ranking.")]
    kendall: Annotated[dict[str, Correlations], Help("By ranking.")]
    pearson: Annotated[dict[str, Correlations], Help("By ranking.")]
    kendall_c: Annotated[dict[str, Correlations], Help("By ranking.")]
    accuracy_with_ties: Annotated[dict[str, AccuraciesWithTies], Help("By ranking.")]
    p_second: IntervalFigure = field(
        metadata={
            DEFINITION: FigureDefinition(
                title="P(second)",
                meaning="Share of the decisions for the text shown second.",
                compute=lambda basis: basis.p_first.complement(),
                of_scores=ORDERLESS,
                section="bias",
                place=12,
            )
        }
    )
    human_p_first: IntervalFigure = field(
        metadata={
            DEFINITION: FigureDefinition(
                title="P(first) of people",
                meaning="Share of human votes for the text shown first.",
                compute=_human_p_first,
                section="bias",
                place=11,
            )
        }
    )
    flip_rate: CountedFigure = field(
        metadata={
            DEFINITION: FigureDefinition(
                title="Flip rate",
                meaning="Share of the pairs whose outcome changes when the order is swapped.",
                compute=lambda basis: basis.order_agreement.complement(),
                of_scores=ORDERLESS,
                section="bias",
                place=14,
            )
        }
    )
    accuracy_averaged: IntervalFigure = field(
        metadata={
            DEFINITION: FigureDefinition(
                title="Accuracy, orders averaged",
                meaning="Share of the pairs that the mean of both orders decides as people do.",
                compute=lambda basis: accuracy_averaged(basis.comparisons, basis.right),
                of_scores=ONE_ORDER_ONLY,
                section="agreement",
                place=3,
            )
        }
    )
    length_preference: LengthPreference
    self_preference: SelfPreference
    trust: list[TrustCheck]
    hold_out: Annotated[IfAny[HoldOut], Help("Of adaptive runs only.")] = None

    @property
    def is_whole(self) -> bool:
        """Return True if the row covers all contexts of the run."""
        return self.subset == ALL

    def value_of(self, definition: FigureDefinition) -> Figure | None:
        """Return the figure of a definition; None where this row lacks it."""
        found: Figure | None = getattr(self, definition.name)
        return found


FIGURES: Mapping[str, FigureDefinition] = MappingProxyType(
    {
        one.name: replace(one.metadata[DEFINITION], name=one.name)
        for one in fields(ReportRow)
        if DEFINITION in one.metadata
    }
)
"""The registry of figures, by name."""

IN_ORDER = tuple(sorted(FIGURES.values(), key=lambda definition: definition.place))
"""The same in the order of cards and columns."""
