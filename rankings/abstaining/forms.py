"""The form of the page of abstaining. Its choices are query parameters."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import QueryDict

from judging.models import Dataset
from judging.models.datasets import DEVELOPMENT
from rankings.abstaining.abstaining_report import SURENESS_TITLES, USUAL_ALPHA, USUAL_CONFIDENCE
from rankings.report.forms import LeftOutForm

_USUAL: dict[str, Any] = {"by": "probability", "alpha": USUAL_ALPHA, "confidence": USUAL_CONFIDENCE}


class AbstainingForm(LeftOutForm):
    """The measure of sureness, the largest share of errors, and the confidence."""

    by = forms.ChoiceField(label="Sure by", required=False, choices=list(SURENESS_TITLES.items()))
    alpha = forms.FloatField(
        label="Most errors", required=False, widget=forms.NumberInput(attrs={"step": "any", "min": "0", "max": "1"})
    )
    confidence = forms.FloatField(
        required=False, widget=forms.NumberInput(attrs={"step": "any", "min": "0.5", "max": "1"})
    )
    choose_on = forms.ChoiceField(
        label="Chosen on", required=False, choices=[("", "all contexts"), (DEVELOPMENT, "development, read on test")]
    )
    field_order = ("by", "alpha", "confidence", "choose_on")

    def __init__(self, data: QueryDict, *, dataset: Dataset) -> None:
        """Choose the usual numbers where the address gives none."""
        chosen = data.copy()
        for name, value in _USUAL.items():
            if not chosen.get(name):
                chosen[name] = str(value)
        super().__init__(chosen, dataset=dataset)
        if not dataset.split:
            del self.fields["choose_on"]

    def choice(self) -> dict[str, Any]:
        """Return the options of `abstaining_of`; the usual ones where the form has a problem."""
        self.is_valid()
        chosen = {name: self.cleaned_data.get(name) for name in _USUAL}
        options = {name: _USUAL[name] if value is None else value for name, value in chosen.items()}
        return options | {"choose_on": self.cleaned_data.get("choose_on", "")}

    def parameters(self) -> list[tuple[str, Any]]:
        """Return the chosen options as names and values of hidden fields."""
        left_out = self.exclusion
        names = {"without_system": left_out.systems, "without_context": left_out.contexts}
        return [*self.choice().items(), *((field, one) for field, values in names.items() for one in values)]
