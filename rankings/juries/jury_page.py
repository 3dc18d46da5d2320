"""The contents of the page of juries: each jury next to its members."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evenhand.numerics import Figure, human_preferences
from evenhand.numerics.accuracy import accuracy
from evenhand.numerics.shared_draws import shared_draws
from judging.models import Run
from rankings.juries.stored_juries import Jury, JuryMember, juries_of
from rankings.record_states import states_of
from rankings.report.pages.sentences_and_cards import accuracy_text
from rankings.report.report_rows import Sources
from rankings.report_cache import cached_together


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
    accuracies = accuracies_of(chosen)
    return [_section(jury, accuracies) for jury in juries]


def accuracies_of(runs: Sequence[Run]) -> dict[int, Figure]:
    """Return run -> its accuracy as in the report, from the cache or computed. runs: of one dataset."""
    states, sources, by_number = states_of(runs), Sources(runs[0].dataset), {run.pk: run for run in runs}

    @shared_draws()
    def of_all(missing: Sequence[int]) -> dict[int, Figure]:
        return {number: _accuracy(sources, by_number[number]) for number in missing}

    return cached_together({number: ("accuracy", states[number]) for number in by_number}, of_all)


def _accuracy(sources: Sources, run: Run) -> Figure:
    own = sources.without(run.exclusion)
    comparisons, people = own.answers(run).comparisons, own.people(run.attribute)
    return accuracy(comparisons, human_preferences(comparisons, people.human.scores, people.votes))


def _section(jury: Jury, accuracies: Mapping[int, Figure]) -> JurySection:
    members = tuple(MemberRow(member, accuracies.get(member.run)) for member in jury.members)
    own = accuracies[jury.run.pk]
    return JurySection(jury, own, members, _sentence(own, members))


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
