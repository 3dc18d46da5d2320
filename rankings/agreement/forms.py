"""The form of the page of agreement. Its choices are query parameters."""

from __future__ import annotations

from collections.abc import Sequence

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict

from evenhand.refusals import Refused
from judging.models import Attribute, Dataset
from rankings.agreement.rater_groups import RaterGroup
from rankings.report.forms import AttributeForm, OrderForm
from rankings.report.report_choice import SUBSET, ReportChoice


class AgreementForm(AttributeForm, OrderForm):
    """One attribute, the comparisons that are read, the subsets, and groups of people."""

    field_order = ("attribute", "order", "subsets_by", "raters")
    subsets_by = forms.ChoiceField(label="Subsets by", required=False)
    raters = forms.CharField(
        label="Groups of people",
        required=False,
        widget=forms.Textarea(attrs={"rows": 2, "placeholder": "expert=expert_*"}),
        help_text="One a line: NAME=PATTERN,PATTERN. A * stands for any characters.",
    )

    def __init__(
        self, data: QueryDict, *, dataset: Dataset, attributes: Sequence[Attribute], fields: Sequence[str]
    ) -> None:
        """Several groups in an address are lines of one field. fields: the further fields of contexts."""
        complete = data.copy()
        complete["raters"] = "\n".join(data.getlist("raters"))
        super().__init__(complete, attributes=attributes, dataset=dataset)
        self.fields["subsets_by"].choices = [(name, name) for name in (SUBSET, *fields)]  # type: ignore[attr-defined]
        if not fields:
            del self.fields["subsets_by"]

    def clean_raters(self) -> tuple[RaterGroup, ...]:
        try:
            return tuple(RaterGroup.parse(line) for line in self.cleaned_data["raters"].splitlines() if line.strip())
        except Refused as refused:
            raise ValidationError(list(refused.problems)) from refused

    @property
    def groups(self) -> tuple[RaterGroup, ...]:
        """Return the groups of people; none where they cannot be read."""
        return self.cleaned_data.get("raters") or ()

    @property
    def report_choice(self) -> ReportChoice:
        """Return the choice of answers and subsets. A value that the page does not offer is ignored."""
        return ReportChoice(
            order=self.chosen_order,
            subsets_by=self.cleaned_data.get("subsets_by") or SUBSET,
            exclusion=self.exclusion,
        )
