"""The form of the page of repeatability. Its choices are query parameters."""

from __future__ import annotations

from django import forms
from django.db.models import QuerySet
from django.http import QueryDict

from judging.models import Run


class RepeatsForm(forms.Form):
    """Runs that are said to repeat each other. Default: all that have the same questions."""

    run = forms.ModelMultipleChoiceField(
        Run.objects.none(), label="Runs", required=False, widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, data: QueryDict, *, runs: QuerySet[Run]) -> None:
        super().__init__(data)
        self.fields["run"].queryset = runs.select_related("judge", "attribute").order_by("pk")  # type: ignore[attr-defined]

    @property
    def runs(self) -> list[Run]:
        """Return the chosen runs; none where the form has a problem."""
        self.is_valid()
        return list(self.cleaned_data.get("run", ()))
