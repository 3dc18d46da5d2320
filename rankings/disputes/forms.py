"""The filters of disputed pairs, which are query parameters, and the settings of a second round."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from django import forms
from django.db.models import QuerySet
from django.http import HttpRequest, QueryDict

from evenhand.options import options_of
from judging.forms.option_form import OptionFilters, OptionForm
from judging.forms.publishing import RunsField
from judging.models import Campaign, Candidate, Run, User, Vote
from judging.web.options import OfferedChoices
from rankings.disputes.disputed_pairs import DISPUTE_KINDS, DisputeChoice
from rankings.disputes.second_round import start_second_round, usual_name, usual_votes

_FOLDED = ("context", "run")
MOST_SHOWN_RUNS = 5
"""Runs on the page if none is chosen."""


class DisputesForm(OptionFilters):
    """Filters of the disputed pairs of a campaign, their order, and the runs whose answers are shown."""

    run = RunsField(
        queryset=Run.objects.none(),
        label="Runs",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=f"Without a choice: the latest {MOST_SHOWN_RUNS}.",
    )

    def __init__(self, data: QueryDict, *, campaign: Campaign, runs: Sequence[Run]) -> None:
        """runs: those that may be shown, the latest first."""
        systems = Candidate.objects.filter(context__dataset=campaign.dataset_id).exclude(system="")
        raters = Vote.objects.filter(assignment__campaign=campaign)
        offered: dict[str, Iterable[str]] = {
            name: sorted(set(rows.order_by().values_list(name, flat=True)))
            for name, rows in (("system", systems), ("rater", raters))
        }
        offered["attribute"] = [one.name for one in campaign.attributes_in_order()]
        choices = {name: {"": "all", **{one: one for one in names}} for name, names in offered.items()}
        choices["kind"] = {name: kind.title for name, kind in DISPUTE_KINDS.items()}
        options = options_of(DisputeChoice)
        super().__init__(data, [replace(one, choices=choices.get(one.name, one.choices)) for one in options])
        self.runs = runs
        of_campaign = Run.objects.filter(pk__in=[run.pk for run in runs]).select_related("judge", "attribute", "prompt")
        self.fields["run"].queryset = of_campaign  # type: ignore[attr-defined]

    @property
    def more_fields(self) -> list[forms.BoundField]:
        """Return the fields that the page folds."""
        return [self[name] for name in _FOLDED]

    @property
    def uses_more_fields(self) -> bool:
        """True if a folded field has a value or an error."""
        return any(self.sent.get(name) or name in self.errors for name in _FOLDED)

    def choice(self) -> DisputeChoice:
        """Return the chosen pairs."""
        return DisputeChoice(**self.chosen)

    def chosen_runs(self) -> list[Run]:
        """Return the chosen runs; without a choice, the latest."""
        self.is_valid()
        chosen = {run.pk for run in self.cleaned_data.get("run") or ()}
        return [run for run in self.runs if run.pk in chosen] if chosen else list(self.runs[:MOST_SHOWN_RUNS])


class SecondRoundForm(OptionForm):
    """The people and the name of a second round."""

    def __init__(self, request: HttpRequest | None, *, campaign: Campaign, people: QuerySet[User]) -> None:
        """request: None for an empty form."""
        initial = {"votes_per_pair": usual_votes(campaign), "name": usual_name(campaign)}
        super().__init__(request, start_second_round, initial=initial)
        self.auto_id = "again_%s"
        names = [(name, name) for name in people.values_list("username", flat=True)]
        self.fields["annotators"] = OfferedChoices(
            label="People",
            required=False,
            choices=names,
            widget=forms.CheckboxSelectMultiple,
            help_text="Nobody gets a pair that they saw before. You can invite more people later.",
        )
