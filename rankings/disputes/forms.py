"""The filters of disputed pairs, which are query parameters, and the settings of a second round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import QueryDict

from judging.forms.publishing import RunsField
from judging.models import Campaign, Candidate, Run, User, Vote
from judging.web.form_fields import FilterForm
from rankings.disputes.disputed_pairs import DISPUTE_KINDS, DISPUTE_SORTS, DisputeChoice
from rankings.disputes.second_round import usual_name, usual_votes

_FOLDED = ("context", "run")
MOST_SHOWN_RUNS = 5
"""Runs on the page if none is chosen."""


class DisputesForm(FilterForm):
    """Filters of the disputed pairs of a campaign, their order, and the runs whose answers are shown."""

    kind = forms.MultipleChoiceField(
        label="Only pairs with",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        choices=[(name, kind.title) for name, kind in DISPUTE_KINDS.items()],
    )
    attribute = forms.ChoiceField(required=False)
    sort = forms.ChoiceField(required=False, choices=list(DISPUTE_SORTS.items()))
    system = forms.ChoiceField(required=False)
    rater = forms.ChoiceField(label="Person", required=False)
    context = forms.CharField(required=False, max_length=500)
    run = RunsField(
        queryset=Run.objects.none(),
        label="Runs",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=f"Without a choice: the latest {MOST_SHOWN_RUNS}.",
    )

    def __init__(self, *args: Any, campaign: Campaign, runs: Sequence[Run], **kwargs: Any) -> None:  # noqa: ANN401
        """runs: those that may be shown, the latest first."""
        super().__init__(*args, **kwargs)
        self.runs = runs
        systems = Candidate.objects.filter(context__dataset=campaign.dataset_id).exclude(system="")
        raters = Vote.objects.filter(assignment__campaign=campaign)
        for field, rows in (("system", systems), ("rater", raters)):
            names = sorted(set(rows.order_by().values_list(field, flat=True)))
            self.fields[field].choices = [("", "all"), *((name, name) for name in names)]  # type: ignore[attr-defined]
        attributes = [(one.name, one.name) for one in campaign.attributes_in_order()]
        self.fields["attribute"].choices = [("", "all"), *attributes]  # type: ignore[attr-defined]
        of_campaign = Run.objects.filter(pk__in=[run.pk for run in runs]).select_related("judge", "attribute", "prompt")
        self.fields["run"].queryset = of_campaign  # type: ignore[attr-defined]

    @property
    def more_fields(self) -> list[forms.BoundField]:
        """Return the fields that the page folds."""
        return [self[name] for name in _FOLDED]

    @property
    def uses_more_fields(self) -> bool:
        """True if a folded field has a value or an error."""
        return any(self.cleaned_data.get(name) or name in self.errors for name in _FOLDED)

    def choice(self) -> DisputeChoice:
        """Return the chosen pairs. An invalid filter is left out, and its field shows the error."""
        self.is_valid()
        values = self.cleaned_data
        names = {name: values.get(name) or "" for name in ("context", "system", "rater", "attribute")}
        return DisputeChoice(kind=tuple(values.get("kind") or ()), sort=values.get("sort") or "disagreement", **names)

    def chosen_runs(self) -> list[Run]:
        """Return the chosen runs; without a choice, the latest."""
        self.is_valid()
        chosen = {run.pk for run in self.cleaned_data.get("run") or ()}
        return [run for run in self.runs if run.pk in chosen] if chosen else list(self.runs[:MOST_SHOWN_RUNS])


class SecondRoundForm(forms.Form):
    """The people and the name of a second round."""

    annotators = forms.ModelMultipleChoiceField(
        User.objects.none(),
        label="People",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Nobody gets a pair that they saw before. You can invite more people later.",
    )
    votes_per_pair = forms.IntegerField(label="Votes for each pair", min_value=1, max_value=1_000)
    name = forms.CharField(max_length=200, help_text="Annotators see it.")
    may_repeat = forms.BooleanField(
        label="People may get pairs again that they saw before",
        required=False,
    )

    def __init__(self, data: QueryDict | None = None, *, campaign: Campaign, people: QuerySet[User]) -> None:
        initial = {"votes_per_pair": usual_votes(campaign), "name": usual_name(campaign)}
        super().__init__(data, initial=initial, auto_id="again_%s")
        self.fields["annotators"].queryset = people  # type: ignore[attr-defined]
