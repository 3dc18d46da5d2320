"""What the pages on agreement let one choose. The choices stand in the address."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms

from judging.models import Attribute, Run


class AttributeForm(forms.Form):
    """Whose agreement: one attribute of the dataset."""

    attribute = forms.ChoiceField(required=False)

    def __init__(self, *args: Any, attributes: Sequence[Attribute], **kwargs: Any) -> None:  # noqa: ANN401 - Django's signature
        super().__init__(*args, **kwargs)
        self.attributes = {attribute.name: attribute for attribute in attributes}
        self.fields["attribute"].choices = [(name, name) for name in self.attributes]  # type: ignore[attr-defined]

    def chosen(self) -> Attribute | None:
        """The first attribute where the address names none, or one that is not there; None where there is none."""
        self.is_valid()
        name = self.cleaned_data.get("attribute") or next(iter(self.attributes), "")
        return self.attributes.get(name)


class TwoRunsForm(forms.Form):
    """Two runs of one dataset, listed by attribute."""

    one = forms.ChoiceField(label="Run")
    other = forms.ChoiceField(label="Compared with")

    def __init__(self, *args: Any, runs: Sequence[Run], **kwargs: Any) -> None:  # noqa: ANN401 - Django's signature
        super().__init__(*args, **kwargs)
        self.runs = {str(run.pk): run for run in runs}
        listed = [("", "choose a run"), *by_attribute(runs)]
        for name in ("one", "other"):
            self.fields[name].choices = listed  # type: ignore[attr-defined]

    def chosen(self) -> tuple[Run, Run] | None:
        """Both runs; None where the address does not name two of the list."""
        if not self.is_valid():
            return None
        return self.runs[self.cleaned_data["one"]], self.runs[self.cleaned_data["other"]]


def by_attribute(runs: Sequence[Run]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Groups of choices, a group for each attribute."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for run in runs:
        label = f"run {run.pk}: {run.judge.name}, {run.prompt_name}"
        groups.setdefault(run.attribute.name, []).append((str(run.pk), label))
    return list(groups.items())
