"""The page of a dataset's juries: each jury next to its members."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from evenhand.numerics import Figure, human_preferences
from evenhand.numerics.accuracy import accuracy
from evenhand.numerics.shared_draws import shared_draws
from evenhand.refusals import Refused
from judging.models import Run
from judging.models.datasets import DEVELOPMENT
from judging.models.runs import ACTIVE_STATUSES
from judging.web.form_fields import add_problems_to_fields
from judging.web.options import OfferedChoice, OfferedChoices, option_fields, values_sent
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_dataset, visible_runs
from rankings.juries.stored_juries import JURY_OPTIONS, Jury, JuryMember, juries_of, jury_settings, make_jury
from rankings.record_states import states_of
from rankings.report.pages.sentences_and_cards import accuracy_text
from rankings.report.report_rows import Sources
from rankings.report_cache import cached_together


class JuryForm(forms.Form):
    """Members, rule and name of a jury. Runs are listed by attribute. `make_jury` refuses."""

    def __init__(self, data: QueryDict | None, *, runs: Sequence[Run]) -> None:
        """runs: those that can be members."""
        super().__init__(data)
        self.sent = values_sent(data or QueryDict())
        usual = option_fields(JURY_OPTIONS)
        where = [("", "on the other four fifths of the contexts, in turn"), (DEVELOPMENT, "on the development part")]
        fields: dict[str, Any] = {
            "run": OfferedChoices(choices=_by_attribute(runs), widget=forms.CheckboxSelectMultiple, required=False),
            "by": usual["by"],
            "choose_on": OfferedChoice(choices=where, required=False),
            "name": usual["name"],
        }
        fields["by"].widget = forms.RadioSelect(attrs={"class": "lines"}, choices=fields["by"].choices)
        if not any(run.dataset.split for run in runs):
            del fields["choose_on"]
        for option in JURY_OPTIONS:
            if option.name in fields:
                fields[option.name].label = option.title
                fields[option.name].help_text = option.help if option.name in ("run", "name") else ""
        self.fields |= fields


def _by_attribute(runs: Sequence[Run]) -> list[Any]:
    """Return number and label of each run, under its attribute if there are several."""
    listed: dict[str, list[tuple[int, str]]] = {}
    for run in runs:
        label = f"{run.judge.name}, {run.prompt_name} (run {run.pk})"
        listed.setdefault(run.attribute.name, []).append((run.pk, label))
    return list(listed.items()) if len(listed) > 1 else [one for some in listed.values() for one in some]


@require_http_methods(["GET", "HEAD", "POST"])
@researchers_only
def dataset_juries(request: SignedInRequest, dataset_id: int) -> HttpResponse:
    """List the juries of a dataset. A POST makes another and opens its results."""
    dataset = visible_dataset(request, dataset_id)
    runs = list(visible_runs(request).ordinary().filter(dataset=dataset, is_scoring=False).order_by("attribute", "pk"))
    offered = [run for run in runs if run.status not in ACTIVE_STATUSES]
    form = JuryForm(request.POST if request.method == "POST" else None, runs=offered)
    if request.method == "POST":
        try:
            jury = make_jury(request.user, **jury_settings(dataset, form.sent, user=request.user))
        except Refused as refused:
            add_problems_to_fields(form, refused.problems)
        else:
            messages.success(request, made_sentence(jury))
            return redirect("run-results", jury.run.pk)
    context = {"dataset": dataset, "form": form, "sections": jury_sections(runs), "n_offered": len(offered)}
    return render(request, "rankings/juries/juries.html", context)


def made_sentence(jury: Jury) -> str:
    left_out = (
        f" {jury.partly_answered:,} that only some members answered are not in it." if jury.partly_answered else ""
    )
    return f"The jury answered {jury.comparisons:,} comparisons.{left_out}"


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
