"""The form that makes a jury."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.http import QueryDict

from judging.models import Run
from judging.models.datasets import DEVELOPMENT
from judging.web.options import OfferedChoice, OfferedChoices, option_fields, values_sent
from rankings.juries.new_juries import JURY_OPTIONS


class JuryForm(forms.Form):
    """Members, rule and name of a jury. Runs are listed by attribute. `make_jury` refuses."""

    def __init__(self, data: QueryDict | None, *, runs: Sequence[Run]) -> None:
        """runs: those that can be members."""
        super().__init__(data)
        self.sent = values_sent(data or QueryDict())
        usual = option_fields(JURY_OPTIONS)
        where = [("", "on the other four fifths of the contexts, in turn"), (DEVELOPMENT, "on the development part")]
        fields: dict[str, Any] = {
            "run": OfferedChoices(choices=_by_attribute(runs), widget=forms.CheckboxSelectMultiple, required=False),
            "by": usual["by"],
            "choose_on": OfferedChoice(choices=where, required=False),
            "name": usual["name"],
        }
        fields["by"].widget = forms.RadioSelect(attrs={"class": "lines"}, choices=fields["by"].choices)
        if not any(run.dataset.split for run in runs):
            del fields["choose_on"]
        for option in JURY_OPTIONS:
            if option.name in fields:
                fields[option.name].label = option.title
                fields[option.name].help_text = option.help if option.name in ("run", "name") else ""
        self.fields |= fields


def _by_attribute(runs: Sequence[Run]) -> list[Any]:
    """Return number and label of each run, under its attribute if there are several."""
    listed: dict[str, list[tuple[int, str]]] = {}
    for run in runs:
        label = f"{run.judge.name}, {run.prompt_name} (run {run.pk})"
        listed.setdefault(run.attribute.name, []).append((run.pk, label))
    return list(listed.items()) if len(listed) > 1 else [one for some in listed.values() for one in some]
