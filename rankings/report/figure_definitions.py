"""`IN_ORDER`: the definition of every figure of a report row: its title, its computation, its columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Literal

from rankings.loading import Answers, People
from rankings.numerics import (
    Comparisons,
    Debiasing,
    Figure,
    Judged,
    Votes,
    accuracy,
    accuracy_averaged,
    accuracy_both_orders,
    accuracy_macro,
    accuracy_per_vote,
    accuracy_per_vote_decided,
    first_share,
    human_agreement,
    order_agreement,
    second_share,
    thinking_flips,
    thinking_shift,
)
from rankings.numerics.arrays import BoolArray, FloatArray, IntArray
from rankings.report.report_choice import ALL

Section = Literal["agreement", "bias"]
PageTable = Literal["runs", "subsets"]
CHANCE = 0.5
NO_ORDER = "a run that scores candidates one by one shows no pair, so it has no position bias"
ONE_ORDER = "a run that scores candidates one by one shows no pair in two orders"
NO_SUBSETS = "the dataset has no subsets"
NO_VOTES = "the attribute has no votes"
NO_VOTES_HERE = "nobody voted on these contexts"
ORDERLESS = Figure.missing(NO_ORDER)
ONE_ORDER_ONLY = Figure.missing(ONE_ORDER, n=0)


@dataclass(frozen=True, eq=False)
class Basis:
    """The arrays from which the figures of one row are computed.

    subset: its name, or ALL. grouped: the subsets of a group; none for other rows.
    contexts: bool, (n_contexts,). The contexts of the row.
    comparisons: the answers on these contexts; for a scoring run, the higher of each two scores.
    before_thinking: float, (n,). p_first without thinking, as in `Answers`; None for a judge that does not think.
    judged: the comparisons that count in accuracies. debiasing: of the whole run; None for a run of scores.
    subset_names, subset_numbers: of the dataset; int, (n_contexts,).
    """

    subset: str
    grouped: tuple[str, ...]
    contexts: BoolArray
    comparisons: Comparisons
    before_thinking: FloatArray | None
    judged: Judged
    debiasing: Debiasing | None
    answers: Answers
    people: People
    subset_names: list[str]
    subset_numbers: IntArray

    @cached_property
    def recorded(self) -> BoolArray:
        """True for the contexts of the row with a record in the run, (n_contexts,)."""
        return self.answers.recorded & self.contexts

    @cached_property
    def votes(self) -> Votes:
        """The votes on the contexts of the row that have a record."""
        return self.people.votes.of_contexts(self.recorded)

    @cached_property
    def p_first(self) -> Figure:
        return first_share(self.comparisons)

    @cached_property
    def order_agreement(self) -> Figure:
        return order_agreement(self.comparisons)

    @property
    def of_comparisons(self) -> Debiasing:
        """The debiasing of a run that compares. Figures of position bias need it."""
        if self.debiasing is None:
            raise TypeError("a run of scores has no position bias")
        return self.debiasing

    @cached_property
    def debiased_decisions(self) -> FloatArray:
        """Decisions at the threshold of the run, (n,). Raises Undefined where there is no threshold."""
        return self.of_comparisons.decide(self.comparisons.p_first)


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureDefinition:
    """One figure of a report row.

    name: its field in `ReportRow`, and its name in commands, files and the HTTP API.
    title: on pages and in tables. meaning: a sentence below its card.
    compute: from the basis of a row; None if the row lacks the figure. It may raise Undefined.
    of_scores: the figure of a scoring run; None: computed there too.
    section: the part of the results page that has its card.
    needs_subsets: its card is shown only if the dataset has subsets.
    is_share: pages show it as a percentage. higher_is_better: tables mark the highest values.
    tables: the tables that have it as a column. reference: a value that pages mark, such as chance.
    """

    name: str
    title: str
    meaning: str
    compute: Callable[[Basis], Figure | None]
    of_scores: Figure | None = None
    section: Section
    needs_subsets: bool = False
    is_share: bool = True
    higher_is_better: bool = False
    tables: tuple[PageTable, ...] = ()
    reference: float | None = None


def _human_p_first(basis: Basis) -> Figure:
    if len(basis.votes):
        return first_share(basis.votes.comparisons)
    return Figure.missing(NO_VOTES_HERE if len(basis.people.votes) else NO_VOTES, n=0)


def _human(basis: Basis) -> Figure:
    votes = basis.people.votes
    return human_agreement(votes, basis.recorded) if len(votes) else Figure.missing(NO_VOTES, n=0)


def _accuracy_debiased(judged: Judged, decisions: FloatArray) -> Figure:
    return accuracy(judged.comparisons, judged.right, judged.decisions(decisions))


def _per_vote(share: Callable[[Comparisons, Votes, Comparisons | None], Figure]) -> Callable[[Basis], Figure]:
    """Return the computation of a share of single votes."""

    def compute(basis: Basis) -> Figure:
        if len(basis.votes):
            return share(basis.comparisons, basis.votes, basis.judged.wrong)
        return Figure.missing(NO_VOTES_HERE if len(basis.people.votes) else NO_VOTES, n=0)

    return compute


def _accuracy_macro(basis: Basis) -> Figure | None:
    if basis.subset != ALL and not basis.grouped:
        return None
    if not basis.subset_names:
        return Figure.missing(NO_SUBSETS, n=0)
    return accuracy_macro(basis.judged.comparisons, basis.judged.right, basis.subset_numbers)


def _of_thinking(basis: Basis, figure: Callable[[Comparisons, FloatArray], Figure]) -> Figure | None:
    """Return a figure of the thinking; None for a judge that does not think, or that scores."""
    if basis.before_thinking is None or basis.debiasing is None:
        return None
    return figure(basis.comparisons, basis.before_thinking)


IN_ORDER = (
    FigureDefinition(
        name="accuracy",
        title="Accuracy",
        meaning="Share of comparisons that the judge decides as people do; a tie counts one half.",
        compute=lambda basis: accuracy(basis.judged.comparisons, basis.judged.right),
        section="agreement",
        higher_is_better=True,
        tables=("runs", "subsets"),
        reference=CHANCE,
    ),
    FigureDefinition(
        name="accuracy_debiased",
        title="Accuracy, debiased",
        meaning="Accuracy with decisions at the threshold τ instead of one half.",
        compute=lambda basis: _accuracy_debiased(basis.judged, basis.debiased_decisions),
        of_scores=ORDERLESS,
        section="agreement",
        higher_is_better=True,
        tables=("runs", "subsets"),
        reference=CHANCE,
    ),
    FigureDefinition(
        name="accuracy_averaged",
        title="Accuracy, orders averaged",
        meaning="Share of pairs that the mean of both orders decides as people do.",
        compute=lambda basis: accuracy_averaged(basis.judged.of_pairs, basis.judged.right),
        of_scores=ONE_ORDER_ONLY,
        section="agreement",
        higher_is_better=True,
        reference=CHANCE,
    ),
    FigureDefinition(
        name="accuracy_both_orders",
        title="Right in both orders",
        meaning="Share of the pairs decided correctly in both orders.",
        compute=lambda basis: accuracy_both_orders(basis.judged.comparisons, basis.judged.right),
        of_scores=ONE_ORDER_ONLY,
        section="agreement",
        higher_is_better=True,
        tables=("runs", "subsets"),
    ),
    FigureDefinition(
        name="accuracy_macro",
        title="Accuracy, mean of subsets",
        meaning="Plain mean of the accuracies of the subsets.",
        compute=_accuracy_macro,
        section="agreement",
        higher_is_better=True,
        needs_subsets=True,
    ),
    FigureDefinition(
        name="accuracy_per_vote",
        title="Accuracy per vote",
        meaning="Share of single votes with the same outcome as the judge: either text, or a tie.",
        compute=_per_vote(accuracy_per_vote),
        section="agreement",
        higher_is_better=True,
    ),
    FigureDefinition(
        name="accuracy_per_vote_decided",
        title="Accuracy per vote, without ties",
        meaning="The same without tie votes and without ties of the judge.",
        compute=_per_vote(accuracy_per_vote_decided),
        section="agreement",
        higher_is_better=True,
    ),
    FigureDefinition(
        name="human",
        title="People",
        meaning="Share of votes that agree with the majority of the other people.",
        compute=_human,
        section="agreement",
        tables=("subsets",),
    ),
    FigureDefinition(
        name="p_first",
        title="P(first)",
        meaning="Share of decisions for the text shown first; one half without bias.",
        compute=lambda basis: basis.p_first,
        of_scores=ORDERLESS,
        section="bias",
        tables=("runs", "subsets"),
        reference=CHANCE,
    ),
    FigureDefinition(
        name="human_p_first",
        title="P(first) of people",
        meaning="Share of human votes for the text shown first.",
        compute=_human_p_first,
        section="bias",
        reference=CHANCE,
    ),
    FigureDefinition(
        name="p_second",
        title="P(second)",
        meaning="Share of the decisions for the text shown second.",
        compute=lambda basis: second_share(basis.comparisons),
        of_scores=ORDERLESS,
        section="bias",
        reference=CHANCE,
    ),
    FigureDefinition(
        name="order_agreement",
        title="Order agreement",
        meaning="Share of the pairs whose outcome stays the same when the order is swapped.",
        compute=lambda basis: basis.order_agreement,
        of_scores=ORDERLESS,
        section="bias",
        higher_is_better=True,
        tables=("runs", "subsets"),
    ),
    FigureDefinition(
        name="flip_rate",
        title="Flip rate",
        meaning="Share of the pairs whose outcome changes when the order is swapped.",
        compute=lambda basis: basis.order_agreement.complement(),
        of_scores=ORDERLESS,
        section="bias",
    ),
    FigureDefinition(
        name="threshold",
        title="Threshold τ",
        meaning="The median P(first). Debiased decisions are “first” above it.",
        compute=lambda basis: basis.of_comparisons.threshold,
        of_scores=ORDERLESS,
        section="bias",
        is_share=False,
    ),
    FigureDefinition(
        name="alpha",
        title="Alpha",
        meaning="(1 − τ) / τ: the factor by which debiasing reduces the odds of the first text.",
        compute=lambda basis: basis.of_comparisons.alpha,
        of_scores=ORDERLESS,
        section="bias",
        is_share=False,
    ),
    FigureDefinition(
        name="p_first_debiased",
        title="P(first), debiased",
        meaning="Share of the decisions for the first text at the threshold τ.",
        compute=lambda basis: first_share(basis.comparisons, basis.debiased_decisions),
        of_scores=ORDERLESS,
        section="bias",
        reference=CHANCE,
    ),
    FigureDefinition(
        name="thinking_shift",
        title="Moved by thinking",
        meaning="Mean absolute difference between P(first) after thinking and without it.",
        compute=lambda basis: _of_thinking(basis, thinking_shift),
        section="bias",
        is_share=False,
    ),
    FigureDefinition(
        name="thinking_flips",
        title="Flipped by thinking",
        meaning="Share of the comparisons that the judge decides differently after thinking.",
        compute=lambda basis: _of_thinking(basis, thinking_flips),
        section="bias",
    ),
)
"""All figures of a report row, in the order of cards and columns."""

FIGURES: Mapping[str, FigureDefinition] = MappingProxyType({definition.name: definition for definition in IN_ORDER})
"""The same, by name."""
