"""The definition of a figure of a report row, and the arrays that the figures of a row are computed from."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from evenhand.numerics import (
    Comparisons,
    Debiasing,
    Figure,
    Judged,
    Votes,
    first_share,
    human_agreement,
    order_agreement,
)
from evenhand.numerics.agreement.kappa import kappa_of_people
from evenhand.numerics.arrays import BoolArray, FloatArray, IntArray
from rankings.loading import Answers, People

Section = Literal["agreement", "bias"]
PageTable = Literal["runs", "subsets"]
NO_ORDER = "a run that scores candidates one by one shows no pair, so it has no position bias"
ONE_ORDER = "a run that scores candidates one by one shows no pair in two orders"
NO_SUBSETS = "the dataset has no subsets"
NO_VOTES = "the attribute has no votes"
NO_VOTES_HERE = "nobody voted on these contexts"
ORDERLESS = Figure.missing(NO_ORDER)
ONE_ORDER_ONLY = Figure.missing(ONE_ORDER, n=0)


def agreement_of_people(votes: Votes, contexts: BoolArray) -> Figure:
    """Return how often a person agrees with the majority of the others on some contexts, (n_contexts,)."""
    return human_agreement(votes, contexts) if len(votes) else Figure.missing(NO_VOTES, n=0)


def kappa_between_people(votes: Votes, contexts: BoolArray) -> Figure:
    """Return the agreement beyond chance of a person with the majority of the others, on contexts, (n_contexts,)."""
    return kappa_of_people(votes, contexts) if len(votes) else Figure.missing(NO_VOTES, n=0)


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
        """The single votes on the contexts of the row that have a record, without second rounds."""
        return self.people.first_round.of_contexts(self.recorded)

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
