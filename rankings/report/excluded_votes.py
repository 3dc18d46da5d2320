"""`ExcludedVotes`: the votes that researchers left out of all figures, as reports state them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated

from django.db.models import Count

from judging.models import Attribute, Vote
from judging.units import counted
from rankings.report.report_json import Help


@dataclass(frozen=True)
class ExcludedRater:
    """A rater with excluded votes. reason: "" for votes that came in as excluded."""

    rater: str
    votes: Annotated[int, Help("Excluded votes of this person, for this reason.")]
    reason: Annotated[str, Help("Why they are excluded; empty for votes that came in as excluded.")]

    def __str__(self) -> str:
        reason = f": {self.reason.rstrip('.')}" if self.reason else ""
        return f"{counted(self.votes, 'vote')} of {self.rater}{reason}"


@dataclass(frozen=True)
class ExcludedVotes:
    """Votes on one attribute that figures leave out."""

    votes: int
    raters: Sequence[ExcludedRater]

    def __str__(self) -> str:
        """Write "without 12 votes of rater-3: answered at random"."""
        return f"without {'; '.join(map(str, self.raters))}"


def excluded_votes_of(attribute: Attribute) -> ExcludedVotes | None:
    """Return the excluded votes on an attribute, by rater and reason; None if there are none. Takes one query."""
    excluded = Vote.objects.filter(attribute=attribute, excluded=True).order_by("rater", "exclusion")
    rows = excluded.values_list("rater", "exclusion__reason").annotate(Count("pk"))
    raters = [ExcludedRater(rater, number, reason or "") for rater, reason, number in rows]
    return ExcludedVotes(sum(one.votes for one in raters), raters) if raters else None


def excluded_votes_notes(of_attributes: Iterable[tuple[str, ExcludedVotes | None]]) -> list[str]:
    """Return one sentence for each attribute with excluded votes. of_attributes: by name."""
    return [
        f"Figures on {attribute} are {excluded}."
        for attribute, excluded in dict(of_attributes).items()
        if excluded is not None
    ]
