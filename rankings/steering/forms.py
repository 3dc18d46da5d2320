"""The form that filters the matches of the steering check. Its choices are query parameters."""

from __future__ import annotations

from typing import Any

from django import forms

from judging.models import Candidate, Dataset
from judging.models.runs import Run, RunQuerySet
from judging.web.form_fields import FilterForm
from rankings.steering.steering_report import PATTERN_NAMES


class SteeringForm(FilterForm):
    """The run whose texts are searched, and the matches that are listed."""

    run = forms.TypedChoiceField(label="Texts of", required=False, coerce=int, empty_value=None)
    pattern = forms.ChoiceField(required=False, choices=[("", "all"), *((name, name) for name in PATTERN_NAMES)])
    system = forms.ChoiceField(required=False)

    def __init__(self, *args: Any, dataset: Dataset, runs: RunQuerySet, **kwargs: Any) -> None:  # noqa: ANN401
        super().__init__(*args, **kwargs)
        self.runs = {run.pk: run for run in runs}
        labels = [(pk, f"run {pk}: {run.judge.name}, {run.prompt_name}") for pk, run in self.runs.items()]
        self.fields["run"].choices = [("", "the dataset"), *labels]  # type: ignore[attr-defined]
        systems = [(name, name) for name in _systems(dataset)]
        self.fields["system"].choices = [("", "all"), *systems]  # type: ignore[attr-defined]
        self.is_valid()

    @property
    def chosen_run(self) -> Run | None:
        """Return the chosen run; None for the whole dataset."""
        return self.runs.get(self.cleaned_data.get("run") or 0)

    @property
    def filters(self) -> dict[str, str]:
        """Return the chosen pattern and system; "" for all."""
        return {name: self.cleaned_data.get(name) or "" for name in ("pattern", "system")}


def _systems(dataset: Dataset) -> list[str]:
    named = Candidate.objects.filter(context__dataset=dataset).exclude(system="")
    return sorted(named.order_by().values_list("system", flat=True).distinct())
