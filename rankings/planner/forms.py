"""The choices of the planner, from the address."""

from __future__ import annotations

from typing import Any

from django import forms
from django.db.models import QuerySet

from judging.forms.publishing import RunsField
from judging.models import Attribute, Campaign, Dataset, Run
from rankings.planner.vote_plan import USUAL_PART, USUAL_WIDTH, PlanChoice, wanted_width


class RunField(forms.ModelChoiceField):
    """A run, named by number, judge, prompt and attribute."""

    def label_from_instance(self, obj: Any) -> str:  # noqa: ANN401 - Django's signature
        return RunsField.label_from_instance(self, obj)  # type: ignore[arg-type]


class ShareField(forms.FloatField):
    """A share between 0 and 1. placeholder: what an empty field means."""

    def __init__(self, *, label: str, placeholder: float | str = "") -> None:
        widget = forms.NumberInput(attrs={"step": "any", "placeholder": placeholder})
        super().__init__(label=label, required=False, min_value=0.001, max_value=0.999, widget=widget)


class PlannerForm(forms.Form):
    """The choices of a plan. Empty fields have the usual values."""

    attribute = forms.ModelChoiceField(Attribute.objects.none(), required=False, empty_label=None)
    run = RunField(Run.objects.none(), label="Accuracy of", required=False, empty_label="People among themselves")
    like = RunField(Run.objects.none(), label="Simulate from", required=False, empty_label="Votes")
    campaign = forms.ModelChoiceField(Campaign.objects.none(), required=False, empty_label="All votes")
    width = ShareField(label="Width of the interval", placeholder=USUAL_WIDTH)
    difference = ShareField(label="Or difference to find")
    against = RunField(Run.objects.none(), required=False, empty_label="Another judge as accurate")
    pairs_per_person = forms.IntegerField(
        label="Pairs a person",
        required=False,
        min_value=1,
        max_value=1_000_000,
        widget=forms.NumberInput(attrs={"placeholder": USUAL_PART}),
    )

    def __init__(self, dataset: Dataset, runs: QuerySet[Run], data: Any) -> None:  # noqa: ANN401 - Django's
        super().__init__(data)
        comparing = runs.filter(dataset=dataset, is_scoring=False).select_related("judge", "attribute").order_by("pk")
        self.fields["attribute"].queryset = dataset.attributes.all()  # type: ignore[attr-defined]
        self.fields["campaign"].queryset = dataset.campaigns.all()  # type: ignore[attr-defined]
        for name in ("run", "like", "against"):
            self.fields[name].queryset = comparing  # type: ignore[attr-defined]
        self.dataset = dataset

    def choice(self) -> PlanChoice | None:
        """Return the valid choice; None with errors, or if the dataset has no attribute.

        The attribute is that of the campaign or run where none is chosen. A campaign with several needs a choice.
        """
        if not self.is_valid():
            return None
        chosen = self.cleaned_data
        run = chosen["run"] or chosen["like"]
        of_campaign = chosen["campaign"].attributes_in_order() if chosen["campaign"] else []
        if len(of_campaign) > 1 and not chosen["attribute"]:
            self.add_error("attribute", "The campaign asks about several attributes: choose one.")
            return None
        usual = of_campaign[0] if of_campaign else run.attribute if run else self.dataset.attributes.first()
        attribute = chosen["attribute"] or usual
        if attribute is None:
            return None
        return PlanChoice(
            attribute,
            chosen["run"],
            chosen["like"],
            chosen["campaign"],
            width=chosen["width"] or wanted_width(chosen["campaign"]),
            pairs_per_person=chosen["pairs_per_person"] or USUAL_PART,
            difference=chosen["difference"],
            against=chosen["against"],
        )
