"""The form of an analysis, made from its options. They are query parameters."""

from __future__ import annotations

from collections.abc import Iterable

from django import forms
from django.forms import BoundField
from django.http import QueryDict

from evenhand.options import Option
from judging.models import Dataset, Run
from judging.models.runs import RunQuerySet
from judging.web.form_fields import add_problems_to_fields
from judging.web.options import OfferedChoice, OfferedChoices, option_fields
from rankings.analyses.record import Analysis
from rankings.report.answer_options import LEFT_OUT
from rankings.report.forms import run_label


class AnalysisForm(forms.Form):
    """The options of an analysis as an address gives them, with the default of each that it lacks."""

    def __init__(self, analysis: Analysis, data: QueryDict, *, row: Run | Dataset, runs: RunQuerySet) -> None:
        """runs: those on the dataset that the person may see."""
        hidden, complete = analysis.hidden(row), data.copy()
        fields = option_fields(option for option in analysis.options if option.name not in hidden)
        for option in analysis.options:
            if option.row and option.name in fields:
                fields[option.name] = _field_of_runs(option, runs)
        for name, field in fields.items():
            if isinstance(field, forms.MultipleChoiceField):
                continue
            if not complete.get(name):
                complete[name] = str(field.initial)
            elif isinstance(field.widget, forms.Textarea):
                complete[name] = "\n".join(data.getlist(name))
        super().__init__(complete)
        self.fields |= fields

    def show(self, problems: Iterable[str]) -> list[str]:
        """Show each problem at its field. Returns those that concern no field."""
        fields = {name.replace("_", "-"): name for name in self.fields}
        own: list[str] = []
        others: list[str] = []
        for problem in problems:
            name, found, reason = problem.partition(": ")
            name = fields.get(name.replace("_", "-"), "")
            (own if name else others).append(f"{name}{found}{reason}" if name else problem)
        add_problems_to_fields(self, own)
        return others

    @property
    def line_fields(self) -> list[BoundField]:
        """Return the fields in the line of controls."""
        return [field for field in self if field.name not in LEFT_OUT and not field.use_fieldset]

    @property
    def menu_fields(self) -> list[BoundField]:
        """Return the fields of many boxes, each in a menu of its own."""
        return [field for field in self if field.use_fieldset]

    @property
    def left_out_fields(self) -> list[BoundField]:
        """Return the fields in the menu of what is left out."""
        return [field for field in self if field.name in LEFT_OUT]

    @property
    def has_unknown_names(self) -> bool:
        return any(name in self.errors for name in LEFT_OUT)


def _field_of_runs(option: Option, runs: RunQuerySet) -> forms.Field:
    offered = [(str(run.pk), run_label(run)) for run in runs]
    if option.takes_several:
        return OfferedChoices(
            label=option.title or None, required=False, choices=offered, widget=forms.CheckboxSelectMultiple
        )
    return OfferedChoice(label=option.title or None, required=False, choices=[("", "–"), *offered], initial="")
