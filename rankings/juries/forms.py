"""The form that makes a jury."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms

from judging.models import Run
from judging.models.datasets import DEVELOPMENT
from rankings.juries.jury_answers import RULES


class JuryForm(forms.Form):
    """Members, rule and name of a jury. Runs are listed by attribute."""

    run = forms.MultipleChoiceField(
        label="Members",
        widget=forms.CheckboxSelectMultiple,
        help_text="Two or more finished runs of one attribute that compare pairs.",
    )
    by = forms.ChoiceField(
        label="Rule",
        choices=[
            (name, f"{rule.title[:1].upper()}{rule.title[1:]}. {rule.description}") for name, rule in RULES.items()
        ],
        widget=forms.RadioSelect(attrs={"class": "lines"}),
        initial="mean",
    )
    choose_on = forms.ChoiceField(
        label="Learn weights",
        required=False,
        choices=[("", "on the other four fifths of the contexts, in turn"), (DEVELOPMENT, "on the development part")],
    )
    name = forms.CharField(
        label="Name", max_length=200, help_text="Tables list the jury under this name, like a judge."
    )

    def __init__(self, *args: Any, runs: Sequence[Run], **kwargs: Any) -> None:  # noqa: ANN401 - Django's signature
        """runs: those that can be members."""
        super().__init__(*args, **kwargs)
        if not any(run.dataset.split for run in runs):
            del self.fields["choose_on"]
        self.runs = {str(run.pk): run for run in runs}
        by_attribute: dict[str, list[tuple[str, str]]] = {}
        for number, run in self.runs.items():
            label = f"{run.judge.name}, {run.prompt_name} (run {number})"
            by_attribute.setdefault(run.attribute.name, []).append((number, label))
        listed = list(by_attribute.items())
        choices = listed[0][1] if len(listed) == 1 else listed
        self.fields["run"].choices = choices  # type: ignore[attr-defined]

    @property
    def members(self) -> list[Run]:
        """Return the chosen runs of a valid form."""
        return [self.runs[number] for number in self.cleaned_data["run"]]
