"""The form of an analysis, made from its options. They are query parameters."""

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

from django import forms
from django.forms import BoundField
from django.http import QueryDict

from evenhand.options import Option
from judging.models import Candidate, Dataset, Run
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
        hidden = analysis.hidden(row)
        if isinstance(row, Dataset) and len(row.attributes.all()) < 2:
            hidden = (*hidden, "attribute")
        options = [option for option in (*analysis.two_runs, *analysis.options) if option.name not in hidden]
        fields = option_fields(options)
        for name, choice in (one.split("=") for one in hidden if "=" in one):
            fields[name].choices = [one for one in fields[name].choices if one[0] != choice]  # type: ignore[attr-defined]
        for option in options:
            if option.row:
                fields[option.name] = _field_of_rows(option, row, runs.ordinary())
        if "by" in fields and not next(one for one in options if one.name == "by").choices:
            fields["by"] = _field_of_contexts(row)
        if "system" in fields:
            fields["system"] = _field_of_systems(row)
        super().__init__(_with_defaults(data, fields))
        self.fields |= fields
        self._menus = {**analysis.menus, "Leave out": LEFT_OUT}
        self.options = {option.name: option for option in options}

    def show(self, problems: Iterable[str]) -> list[str]:
        """Show each problem at its field. Returns those that concern no field, and says what to choose first."""
        fields = {name.replace("_", "-"): name for name in self.fields}
        own: list[str] = []
        others: list[str] = []
        for problem in problems:
            name, found, reason = problem.partition(": ")
            name = fields.get(name.replace("_", "-"), "")
            if name and reason == "needed":
                others.append(f"{self.options[name].title}: {self.options[name].help.removesuffix('.')}")
            else:
                (own if name else others).append(f"{name}{found}{reason}" if name else problem)
        add_problems_to_fields(self, own)
        return others

    @property
    def line_fields(self) -> list[BoundField]:
        """Return the fields in the line of controls."""
        in_menus = {name for names in self._menus.values() for name in names}
        return [field for field in self if field.name not in in_menus and not field.use_fieldset]

    @property
    def menu_fields(self) -> list[BoundField]:
        """Return the fields of many boxes, each in a menu of its own."""
        return [field for field in self if field.use_fieldset]

    @property
    def menus(self) -> list[tuple[str, list[BoundField], bool]]:
        """Return the other menus: title, fields, and whether one of them has an error."""
        menus = {title: [self[name] for name in names if name in self.fields] for title, names in self._menus.items()}
        return [(title, fields, any(field.errors for field in fields)) for title, fields in menus.items() if fields]


def with_first_rows(analysis: Analysis, options: QueryDict, row: Run | Dataset, runs: RunQuerySet) -> QueryDict:
    """Return the options with preset ones, and the first attribute, or its first two runs, unless they name a row."""
    rows = {one.name: one.row for one in (*analysis.two_runs, *analysis.options) if one.row}
    complete = options.copy()
    for name, values in analysis.preset(row).items():
        if name not in complete:
            complete.setlist(name, values)
    if {*rows} & {*options} or not isinstance(row, Dataset):
        return complete
    if "attribute" in rows.values():
        complete.setlist("attribute", [one.name for one in row.attributes.all()][:1])
    in_order = sorted(runs if analysis.two_runs else (), key=lambda run: (run.attribute.position, run.pk))
    pairs = (two for two in pairwise(in_order) if two[0].attribute_id == two[1].attribute_id)
    two_names = [one.name for one in analysis.two_runs]
    complete.update({name: str(run.pk) for name, run in zip(two_names, next(pairs, ()), strict=False)})
    return complete


def _with_defaults(data: QueryDict, fields: Mapping[str, forms.Field]) -> QueryDict:
    """Return an address with the default of each field that it lacks. Several texts are the lines of a field."""
    complete = data.copy()
    for name, field in fields.items():
        if isinstance(field, forms.MultipleChoiceField):
            complete.setlist(name, data.getlist(name) or list(field.initial or ()))
        elif not complete.get(name):
            complete[name] = str(field.initial)
        elif isinstance(field.widget, forms.Textarea):
            complete[name] = "\n".join(data.getlist(name))
    return complete


def _field_of_rows(option: Option, row: Run | Dataset, runs: RunQuerySet) -> forms.Field:
    """Return the field by which a page chooses a row, or several runs."""
    none = [("", option.if_none or "–")]
    if isinstance(row, Dataset) and option.row != "run":
        rows = row.attributes.all() if option.row == "attribute" else row.campaigns.all()
        choices: Any = [*none, *((one.name, one.name) for one in rows)]
        return OfferedChoice(label=option.title, required=False, choices=choices, initial="")
    if option.takes_several:
        offered = [(str(run.pk), run_label(run)) for run in runs]
        return OfferedChoices(
            label=option.title or None, required=False, choices=offered, widget=forms.CheckboxSelectMultiple
        )
    of_attribute: dict[str, list[tuple[str, str]]] = {}
    for run in runs:
        label = f"run {run.pk}: {run.judge.name}, {run.prompt_name}"
        of_attribute.setdefault(run.attribute.name, []).append((str(run.pk), label))
    choices = [*none, *of_attribute.items()]
    return OfferedChoice(label=option.title or None, required=False, choices=choices, initial="")


def _field_of_contexts(row: Run | Dataset) -> forms.Field:
    dataset = row if isinstance(row, Dataset) else row.dataset
    names = ("subset", "length", *dataset.context_fields)
    return OfferedChoice(label="Kinds by", choices=[(name, name) for name in names], initial="length")


def _field_of_systems(row: Run | Dataset) -> forms.Field:
    dataset = row if isinstance(row, Dataset) else row.dataset
    named = Candidate.objects.filter(context__dataset=dataset).exclude(system="").order_by("system")
    systems = [(name, name) for name in named.values_list("system", flat=True).distinct()]
    return OfferedChoice(label="System", required=False, choices=[("", "all"), *systems], initial="")
