"""`LeftOutParts` and `ExcludedVotes`: systems, contexts and votes that a report leaves out, as reports state them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated

from django.db.models import BooleanField, Count, F, Value
from django.db.models.functions import Coalesce

from evenhand.report_json import Help
from evenhand.units import counted
from judging.models import Attribute, Exclusion, HumanScore, Vote
from rankings.tables.long_form import LongForm


@dataclass(frozen=True)
class LeftOutParts:
    """The systems and contexts that are left out, and the number of contexts that became too small."""

    systems: Annotated[Sequence[str], Help("Names of systems.")]
    contexts: Annotated[Sequence[str], Help("Identifiers of contexts.")]
    small_contexts: Annotated[int, Help("Contexts with fewer than two candidates left.")]

    @property
    def exclusion(self) -> Exclusion:
        return Exclusion(tuple(self.systems), tuple(self.contexts))

    @property
    def cell(self) -> str:
        """Write all names for a column of the long form: "system M1; context c3"."""
        names = [*(f"system {name}" for name in self.systems), *(f"context {name}" for name in self.contexts)]
        return "; ".join(names)

    def __str__(self) -> str:
        """Write "without system M1; 2 contexts have fewer than two candidates left"."""
        small = f"{counted(self.small_contexts, 'context')} with fewer than two candidates left"
        return f"{self.exclusion}; {small}" if self.small_contexts else str(self.exclusion)


def with_left_out(form: LongForm, without: LeftOutParts | None) -> LongForm:
    """Add a column with the systems and contexts that are left out, if there are any."""
    if without is None:
        return form
    cell = without.cell
    return LongForm(lambda: ({**line, "without": cell} for line in form.make_lines()), (*form.extra, "without"))


def left_out_notes(of_runs: Iterable[tuple[int, LeftOutParts | None]]) -> list[str]:
    """Return one note for each exclusion, with the runs that it concerns unless it concerns all. of_runs: by run."""
    runs: dict[str, dict[int, None]] = {}
    for run, without in of_runs:
        runs.setdefault(str(without) if without else "", {})[run] = None
    if len(runs) == 1:
        return [f"All figures are {text}." for text in runs if text]
    return [f"Figures of run {', '.join(map(str, numbers))} are {text}." for text, numbers in runs.items() if text]


@dataclass(frozen=True)
class ExcludedRater:
    """A rater with excluded votes or ratings. reason: "" if it is unknown."""

    rater: str
    votes: Annotated[int, Help("Excluded votes of this person, for this reason.")]
    reason: Annotated[str, Help("Why they are excluded; empty if it is unknown.")]
    ratings: Annotated[int, Help("Excluded ratings of this person, for this reason.")] = 0

    def __str__(self) -> str:
        reason = f": {self.reason.rstrip('.')}" if self.reason else ""
        numbers = [counted(self.votes, "vote")] if self.votes else []
        numbers += [counted(self.ratings, "rating")] if self.ratings else []
        return f"{' and '.join(numbers)} of {self.rater}{reason}"


@dataclass(frozen=True)
class ExcludedVotes:
    """Votes and ratings on one attribute that figures leave out."""

    votes: int
    raters: Sequence[ExcludedRater]
    ratings: int = 0

    def __str__(self) -> str:
        """Write "without 12 votes of rater-3: answered at random"."""
        return f"without {'; '.join(map(str, self.raters))}"


def excluded_votes_of(attribute: Attribute) -> ExcludedVotes | None:
    """Return the excluded votes and ratings on an attribute, by rater and reason; None if there are none. One query."""
    votes, ratings = (
        answers.filter(attribute=attribute, excluded=True)
        .order_by()
        .values_list("rater", "exclusion", reason, Value(is_rating, output_field=BooleanField()))
        .annotate(Count("pk"))
        for is_rating, answers, reason in (
            (False, Vote.objects.all(), Coalesce("exclusion__reason", "exclude_reason")),
            (True, HumanScore.objects.all(), F("exclusion__reason")),
        )
    )
    numbers: dict[tuple[str, int, str], Counter[bool]] = defaultdict(Counter)
    for rater, exclusion, reason, is_rating, number in votes.union(ratings, all=True):
        numbers[rater, exclusion or 0, reason or ""][bool(is_rating)] += number
    raters = [
        ExcludedRater(rater, number[False], reason, number[True])
        for (rater, _, reason), number in sorted(numbers.items(), key=lambda row: row[0])
    ]
    if not raters:
        return None
    return ExcludedVotes(sum(one.votes for one in raters), raters, sum(one.ratings for one in raters))


def excluded_votes_notes(of_attributes: Iterable[tuple[str, ExcludedVotes | None]]) -> list[str]:
    """Return one sentence for each attribute with excluded votes. of_attributes: by name."""
    return [
        f"Figures on {attribute} are {excluded}."
        for attribute, excluded in dict(of_attributes).items()
        if excluded is not None
    ]
