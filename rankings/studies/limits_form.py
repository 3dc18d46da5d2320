"""`LimitsForm`: the runs that a page of a study is limited to. Its choices hold for every tab of the study."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django import forms
from django.forms import BoundField

from judging.models import Run
from rankings.studies.dimensions import NAME_OF_RUN, names_of_runs, varying
from rankings.studies.pivots.pivot_table import DIMENSION_TITLES

USUAL_VALUES = {"order": "both", "unparsed": "excluded"}
EVERY = "*"
"""The choice of all names, on pages that limit themselves to the first."""


class LimitsForm(forms.Form):
    """A field for each dimension in which the runs of a study differ, to choose one of its names."""

    sort = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, data: Mapping[str, Any], *, runs: Sequence[Run]) -> None:
        """runs: of the study, those that this person may see."""
        self.runs = runs
        self.names = names_of_runs(runs)
        self.varying = varying(self.names.values())
        self.address = data
        super().__init__({name: data[name] for name in data if data[name] != EVERY})
        for dimension in self.varying:
            self.fields[dimension] = forms.ChoiceField(
                label=DIMENSION_TITLES[dimension], required=False, choices=self.limits(dimension, self.runs)
            )

    def limits(self, dimension: str, runs: Iterable[Run]) -> list[tuple[str, str]]:
        """Return the choices of a dimension: all, and the names of some runs."""
        names = self.names_in(dimension, runs)
        return [("", f"all {len(names)}"), *((name, name) for name in names)]

    def names_in(self, dimension: str, runs: Iterable[Run]) -> list[str]:
        """Return the names of some runs in a dimension, in the order of the runs."""
        return list(dict.fromkeys(self.names[run.pk][dimension] for run in runs))

    def offer(self, field: str, choices: Sequence[tuple[str, object]]) -> None:
        """Set the choices of a field."""
        self.fields[field].choices = choices  # type: ignore[attr-defined]

    def value(self, name: str) -> str:
        """Return a choice; "" for none, and for a value that the page does not offer."""
        return self.cleaned_data.get(name) or ""

    def show(self, values: Mapping[str, str]) -> None:
        """Show the choices that hold in fields that the address leaves open."""
        self.data = {**self.data, **values}

    def is_limited(self, run: Run) -> bool:
        """Return True if the choices leave the run out."""
        limits = {name: self.value(name) for name in NAME_OF_RUN if name in self.fields}
        return any(chosen not in ("", EVERY) and self.names[run.pk][name] != chosen for name, chosen in limits.items())

    @property
    def main_fields(self) -> list[BoundField]:
        """Return the fields of the line above the content."""
        return []

    @property
    def more_fields(self) -> list[BoundField]:
        """Return the folded fields."""
        return []

    @property
    def uses_more_fields(self) -> bool:
        """Return True if a folded field differs from its usual choice."""
        return any((field.value() or "") != USUAL_VALUES.get(field.name, "") for field in self.more_fields)

    def bound_fields(self, names: Iterable[str]) -> list[BoundField]:
        """Return those of some fields that the form has."""
        return [self[name] for name in names if name in self.fields]
