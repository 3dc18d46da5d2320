"""`FigureDefinition`: the titles of a figure, its computation, and its place on pages and in tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from rankings.loading import Answers, People
from rankings.numerics import Comparisons, Debiasing, Figure, Votes, first_share, order_agreement
from rankings.numerics.arrays import BoolArray, FloatArray, IntArray

ALL = "all"
Section = Literal["agreement", "bias"]


@dataclass(frozen=True, eq=False)
class Basis:
    """The arrays from which the figures of one row are computed.

    subset: its name, or ALL. contexts: bool, (n_contexts,). The contexts of the row.
    comparisons: the answers on these contexts; for a scoring run, the higher of each two scores.
    right: float, (n,), from `truth`. debiasing: of the whole run; None for a run of scores.
    subset_names, subset_numbers: of the dataset; int, (n_contexts,).
    """

    subset: str
    contexts: BoolArray
    comparisons: Comparisons
    right: FloatArray
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

    title: on pages. meaning: a sentence below its card.
    compute: from the basis of a row; None where this row does not have the figure. It may raise Undefined.
    of_scores: the figure of a scoring run; None: computed there too.
    section: the part of the results page that has its card; None: no card. place: its position among the cards and
    columns. needs_subsets: its card is shown only where the dataset has subsets.
    is_share: pages show it as a percentage.
    heading, tables: its heading in the tables of pages, and the tables that have it.
    column: its heading in tables for a paper and for a terminal; empty: no column.
    name: in commands, files and the HTTP API. The registry takes it from the field.
    """

    title: str
    meaning: str
    compute: Callable[[Basis], Figure | None]
    of_scores: Figure | None = None
    section: Section | None = None
    place: int = 100
    needs_subsets: bool = False
    is_share: bool = True
    heading: str = ""
    tables: tuple[Literal["runs", "subsets"], ...] = ()
    column: str = ""
    name: str = ""


DEFINITION = "definition"
"""The entry in the metadata of a dataclass field that holds its definition."""
