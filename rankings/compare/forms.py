"""The form of the page that compares two runs. Its choices are query parameters."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, pairwise
from typing import Any

from django import forms
from django.http import QueryDict

from judging.models import Dataset, Run
from rankings.report.forms import AttributeForm, OrderForm, run_label


class ComparedForm(AttributeForm, OrderForm):
    """One attribute, its runs, and the order of candidates of the comparisons that are read."""

    field_order = ("attribute", "order", "run")
    run = forms.MultipleChoiceField(
        label="Runs", required=False, widget=forms.CheckboxSelectMultiple, help_text="None checked: all runs."
    )

    def __init__(self, *args: Any, runs: Sequence[Run], **kwargs: Any) -> None:  # noqa: ANN401 - Django's signature
        """runs: of all attributes of the dataset, the latest first."""
        super().__init__(*args, **kwargs)
        name = self.data.get("attribute")
        attribute = name if name in self.attributes else next(iter(self.attributes), "")
        self.offered = [run for run in runs if run.attribute.name == attribute]
        self.fields["run"].choices = [(str(run.pk), run_label(run)) for run in self.offered]  # type: ignore[attr-defined]

    @property
    def chosen_runs(self) -> list[Run]:
        """Return the chosen runs of the attribute; all of them where none is chosen."""
        self.is_valid()
        chosen = set(self.cleaned_data.get("run", ()))
        return [run for run in self.offered if str(run.pk) in chosen] or self.offered


class RunPairForm(OrderForm):
    """Two runs of one dataset, listed by attribute, and the order of candidates. run_fields: of the two runs."""

    run_fields: Sequence[str]

    def __init__(self, data: QueryDict, *, dataset: Dataset, runs: Sequence[Run]) -> None:
        """runs: by attribute."""
        super().__init__(data, dataset=dataset)
        self.runs = {str(run.pk): run for run in runs}
        by_attribute: dict[str, list[tuple[str, str]]] = {}
        for run in runs:
            label = f"run {run.pk}: {run.judge.name}, {run.prompt_name}"
            by_attribute.setdefault(run.attribute.name, []).append((str(run.pk), label))
        for name in self.run_fields:
            self.fields[name].choices = [("", "choose a run"), *by_attribute.items()]  # type: ignore[attr-defined]

    def chosen(self) -> tuple[Run, Run] | None:
        """Return both runs; None if the address does not name two of the list."""
        self.is_valid()
        names = [self.cleaned_data.get(field) for field in self.run_fields]
        one, other = (self.runs.get(name) if name else None for name in names)
        return (one, other) if one and other else None


def with_usual_runs(data: QueryDict, runs: Sequence[Run]) -> QueryDict:
    """Return the address with the first two runs of the first attribute that has two, unless it names runs."""
    if {"one", "other"} & set(data):
        return data
    pairs = ((one, other) for one, other in pairwise(runs) if one.attribute_id == other.attribute_id)
    complete = data.copy()
    for one, other in islice(pairs, 1):
        complete["one"], complete["other"] = str(one.pk), str(other.pk)
    return complete


class TwoRunsForm(RunPairForm):
    """Two runs that are compared by every figure."""

    field_order = ("one", "other", "order")
    run_fields = ("one", "other")
    one = forms.ChoiceField(label="Run", required=False)
    other = forms.ChoiceField(label="Compared with", required=False)

    def __init__(self, data: QueryDict, *, dataset: Dataset, runs: Sequence[Run]) -> None:
        """runs: by attribute. An address that names no run compares the first two of an attribute."""
        super().__init__(with_usual_runs(data, runs), dataset=dataset, runs=runs)
