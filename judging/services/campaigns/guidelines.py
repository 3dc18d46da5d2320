"""Guidelines of a campaign: their versions, what changed between two, and who read which."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from django.db.models import Count, Max, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from evenhand.refusals import Refused
from judging.models import Assignment, Campaign, GuidelinesText, Participation, User
from judging.models.activity_and_looks import Act
from judging.services.activity import noted

LONGEST_GUIDELINES = 50_000
NEWER_GUIDELINES = "The guidelines have changed since you opened them. Please read them again."
UNCHANGED_LINES = 2
"""Unchanged lines that are shown before and after a change."""


@dataclass(frozen=True, slots=True)
class GuidelinesLine:
    """A line of changed guidelines. kind: whether both versions have it; gap stands for unchanged lines."""

    kind: Literal["same", "added", "removed", "gap"]
    text: str = ""


def guidelines_versions(campaign: Campaign) -> QuerySet[GuidelinesText]:
    """Return the versions of a campaign's guidelines, the latest first, with `vote_count`."""
    voted = Count("assignments", filter=Q(assignments__status=Assignment.Status.VOTED))
    return campaign.guidelines_texts.select_related("created_by").annotate(vote_count=voted).order_by("-version")


def current_guidelines(campaign: Campaign) -> GuidelinesText:
    """Return the latest version."""
    return campaign.guidelines_texts.order_by("-version")[0]


def with_current_guidelines(participations: QuerySet[Participation]) -> QuerySet[Participation]:
    """Annotate `current_guidelines`: the key of the latest version of the campaign's guidelines."""
    versions = GuidelinesText.objects.filter(campaign=OuterRef("campaign")).order_by("-version")
    return participations.annotate(current_guidelines=Subquery(versions.values("pk")[:1]))


def has_read_guidelines(participation: Participation) -> bool:
    """Return True if the annotator read the current version. Takes a row of `with_current_guidelines`."""
    current: int = participation.current_guidelines  # type: ignore[attr-defined]  # annotated
    return participation.guidelines_id == current


@noted(Act.CHANGE, what="guidelines")
def change_guidelines(campaign: Campaign, *, text: str, changed_by: User | None) -> GuidelinesText:
    """Change the guidelines. Annotators read the new version before their next pair. Returns the current version.

    A version that nobody has read is replaced, and the same text changes nothing. Raises Refused if it is too long.
    """
    wanted = text.replace("\r\n", "\n").strip()
    if len(wanted) > LONGEST_GUIDELINES:
        raise Refused(f"guidelines: {len(wanted):,} characters — give at most {LONGEST_GUIDELINES:,}")
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    latest = campaign.guidelines_texts.order_by("-version").first()
    if latest is None or (latest.text != wanted and (latest.participations.exists() or latest.assignments.exists())):
        last = campaign.guidelines_texts.aggregate(last=Max("version"))["last"] or 0
        latest = GuidelinesText(campaign=campaign, version=last + 1)
    elif latest.text == wanted:
        return latest
    latest.text, latest.created_by = wanted, changed_by
    latest.save()
    campaign.guidelines = wanted
    campaign.save(update_fields=["guidelines"])
    return latest


def note_guidelines_read(campaign: Campaign, *, annotator: User, version: int | None = None) -> None:
    """Record that the annotator read the guidelines, which allows them to vote.

    version: the one that they read; None for the current one. Raises Refused if it is no longer the current one.
    """
    current = current_guidelines(campaign)
    if version is not None and version != current.version:
        raise Refused(NEWER_GUIDELINES)
    unread = campaign.participations.filter(annotator=annotator).exclude(guidelines=current)
    unread.update(guidelines=current, guidelines_read_at=timezone.now())


def changed_lines(before: str, now: str) -> list[GuidelinesLine]:
    """Return the lines of two versions that differ, with two unchanged lines around each change."""
    old, new = before.splitlines(), now.splitlines()
    lines: list[GuidelinesLine] = []
    for group in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(UNCHANGED_LINES):
        if group[0][1] > 0 or lines:
            lines.append(GuidelinesLine("gap"))
        lines += _lines_of_group(group, old, new)
    return lines


def _lines_of_group(
    group: Sequence[tuple[str, int, int, int, int]], old: Sequence[str], new: Sequence[str]
) -> Iterator[GuidelinesLine]:
    """Yield the lines of some operations of difflib: their name, then the range in the old and in the new lines."""
    for operation, old_start, old_end, new_start, new_end in group:
        if operation == "equal":
            yield from (GuidelinesLine("same", line) for line in new[new_start:new_end])
            continue
        yield from (GuidelinesLine("removed", line) for line in old[old_start:old_end])
        yield from (GuidelinesLine("added", line) for line in new[new_start:new_end])
