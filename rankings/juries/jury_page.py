"""The contents of the page of juries: each jury next to its members."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from judging.models import Run
from rankings.juries.stored_juries import Jury, JuryMember, juries_of
from rankings.numerics import Figure
from rankings.report.pages.run_page import accuracy_text
from rankings.report.report_rows import report_rows


@dataclass(frozen=True, slots=True)
class MemberRow:
    """A member with its accuracy on all its answers. accuracy: None if its run is not visible or was deleted."""

    member: JuryMember
    accuracy: Figure | None


@dataclass(frozen=True, slots=True)
class JurySection:
    """A jury with its accuracy, and its members. sentence: how it does against its best member."""

    jury: Jury
    accuracy: Figure
    members: tuple[MemberRow, ...]
    sentence: str


def jury_sections(runs: Sequence[Run]) -> list[JurySection]:
    """Return the juries among the runs, the latest first. runs: the visible ones of one dataset."""
    juries = juries_of(runs)
    wanted = {jury.run.pk for jury in juries} | {one.run for jury in juries for one in jury.members}
    chosen = [run for run in runs if run.pk in wanted]
    if not juries:
        return []
    rows = report_rows(juries[0].run.dataset, runs=chosen)
    accuracies = {row.name.run: row.accuracy for row in rows if row.is_whole}
    return [_section(jury, accuracies) for jury in juries]


def _section(jury: Jury, accuracies: Mapping[int, Figure]) -> JurySection:
    members = tuple(MemberRow(member, accuracies.get(member.run)) for member in jury.members)
    accuracy = accuracies[jury.run.pk]
    return JurySection(jury, accuracy, members, _sentence(accuracy, members))


def _sentence(accuracy: Figure, members: Sequence[MemberRow]) -> str:
    """Compare the accuracies of a jury and its best member."""
    if accuracy.value is None:
        return f"Accuracy is undefined: {accuracy.undefined}."
    own = f"Accuracy against human preference: {accuracy_text(accuracy)}."
    known = [(one.accuracy, one.member) for one in members if one.accuracy and one.accuracy.value is not None]
    if not known:
        return own
    best, member = max(known, key=lambda one: one[0].value or 0)
    return f"{own} Its best member alone, {member.judge} with {member.prompt}: {accuracy_text(best)}."
