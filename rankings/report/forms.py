"""Forms of the pages of results and agreement. Their choices are query parameters."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS
from django.forms import BoundField
from django.http import Http404, QueryDict

from evenhand.numerics import DEFAULT_RANKING, RANKING_TITLES
from evenhand.refusals import Refused
from judging.forms.option_form import OptionFilters
from judging.models import NOTHING_LEFT_OUT, Attribute, Dataset, Run
from judging.models.exclusions import exclusion_problems
from judging.web.form_fields import add_problems_to_fields
from rankings.report.answer_options import ANSWERS, LEFT_OUT, SORTS, chosen_answers
from rankings.report.prompt_means import prompt_groups
from rankings.report.report_choice import SUBSET, ReportChoice, SubsetGroup, group_problems
from rankings.report.report_columns import COLUMNS, NAMES
from rankings.report.report_row import LEVEL_MEANINGS
from rankings.report.report_table import TableChoice
from rankings.tables.formats import TABLE_FORMATS
from rankings.tables.table import INTERVAL_STYLES, LABEL, MOST_DIGITS, TableStyle


class AttributeForm(forms.Form):
    """One attribute of the dataset."""

    attribute = forms.ChoiceField(required=False)

    def __init__(self, *args: Any, attributes: Sequence[Attribute], **kwargs: Any) -> None:  # noqa: ANN401 - Django's signature
        super().__init__(*args, **kwargs)
        self.attributes = {attribute.name: attribute for attribute in attributes}
        self.fields["attribute"].choices = [(name, name) for name in self.attributes]  # type: ignore[attr-defined]

    def chosen(self) -> Attribute | None:
        """Return the chosen attribute. Default: the first; None if the dataset has none."""
        self.is_valid()
        name = self.cleaned_data.get("attribute") or next(iter(self.attributes), "")
        return self.attributes.get(name)


class AnswersForm(OptionFilters):
    """Which answers count, by options of ANSWERS. A value that does not fit is ignored, and its field says why."""

    def __init__(
        self, data: QueryDict, *, dataset: Dataset, names: Collection[str] = LEFT_OUT, subsets: Sequence[str] = ()
    ) -> None:
        """names: of the options. subsets: those that a group may have. Several texts are the lines of one field."""
        complete = data.copy()
        for name in (*LEFT_OUT, "group"):
            complete[name] = "\n".join(data.getlist(name))
        missing = {"subsets_by": not dataset.context_fields, "group": len(subsets) < 2}
        splits = {"subsets_by": {name: name for name in (SUBSET, *dataset.context_fields)}}
        offered = [ANSWERS[name] for name in names if not missing.get(name)]
        super().__init__(complete, [replace(one, choices=splits.get(one.name, one.choices)) for one in offered])
        self.report_choice = self._report_choice(dataset, subsets)

    def _report_choice(self, dataset: Dataset, subsets: Sequence[str]) -> ReportChoice:
        """Return the choice, without groups that are wrong, and without an exclusion that is not possible."""
        choice, groups = chosen_answers(**self.chosen | {"group": ()}), tuple[SubsetGroup, ...]()
        try:
            groups = tuple(map(SubsetGroup.parse, self.chosen.get("group", ())))
            if problems := group_problems(groups, subsets):
                raise Refused(*problems)
        except Refused as refused:
            add_problems_to_fields(self, refused.problems)
            groups = ()
        problems = exclusion_problems(dataset, choice.exclusion)
        add_problems_to_fields(self, (one.replace("-", "_", 1) for one in problems))
        return replace(choice, groups=groups, exclusion=NOTHING_LEFT_OUT if problems else choice.exclusion)

    @property
    def has_unknown_names(self) -> bool:
        return bool(self._name_problems)

    def require_known_names(self) -> None:
        """Raise Http404 with the problems of names, for downloads, which cannot show them."""
        if self._name_problems:
            raise Http404("; ".join(self._name_problems))

    @property
    def _name_problems(self) -> list[str]:
        """Return the problems of the names to leave out."""
        return [str(error) for name in (*LEFT_OUT, NON_FIELD_ERRORS) for error in self.errors.get(name, ())]

    @property
    def left_out_fields(self) -> list[BoundField]:
        return [self[name] for name in LEFT_OUT]


def chosen_field(data: QueryDict, fields: Sequence[str]) -> str:
    """Return the field by which the address splits contexts. One that they lack counts as none."""
    name = data.get("subsets_by", SUBSET)
    return name if name in fields else SUBSET


FIGURE_CHOICES = [(name, one.column.full_title) for name, one in COLUMNS.items()]
DEBIASED_COLUMN = "_debiased"
VARIANTS = {"": "raw and debiased", "raw": "raw", "debiased": "debiased"}


class TableForm(forms.Form):
    """The attribute and runs that a table lists, its columns, subsets, ranking, level and order."""

    attribute = forms.ChoiceField(required=False)
    ranking = forms.ChoiceField(required=False, choices=list(RANKING_TITLES.items()))
    level = forms.ChoiceField(required=False, choices=list(LEVEL_MEANINGS.items()))
    variant = forms.ChoiceField(label="Position bias", required=False, choices=list(VARIANTS.items()))
    over_prompts = forms.BooleanField(label="Mean over prompts", required=False)
    sort = forms.ChoiceField(required=False, choices=[(name, name) for name in SORTS], widget=forms.HiddenInput)
    column = forms.MultipleChoiceField(
        label="Columns",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        choices=[*((name, name.capitalize()) for name in NAMES), *FIGURE_CHOICES],
    )
    subset = forms.MultipleChoiceField(label="Subsets", required=False, widget=forms.CheckboxSelectMultiple)
    run = forms.MultipleChoiceField(
        label="Runs", required=False, widget=forms.CheckboxSelectMultiple, help_text="None checked: all runs."
    )

    def __init__(
        self,
        data: QueryDict,
        *,
        attributes: Sequence[str],
        subsets: Sequence[str],
        usual: Mapping[str, Sequence[str]],
        runs: Sequence[Run] = (),
    ) -> None:
        """usual: field -> its values where the address has none."""
        complete = data.copy()
        for name, values in usual.items():
            if name not in data:
                complete.setlist(name, list(values))
        super().__init__(complete)
        self.offered_runs, self.offered_subsets, self._usual = runs, subsets, usual
        self._offer("run", [(str(run.pk), run_label(run)) for run in runs])
        self._offer("attribute", [("", "all"), *((name, name) for name in attributes)])
        self._offer("subset", [(name, name) for name in subsets])
        self._offer("ranking", list(RANKING_TITLES.items()))
        if not prompt_groups(runs):
            del self.fields["over_prompts"]
        if len(subsets) < 2:
            del self.fields["subset"]

    def _offer(self, field: str, choices: list[tuple[str, str]]) -> None:
        self.fields[field].choices = choices  # type: ignore[attr-defined]

    @property
    def n_hidden_subsets(self) -> int:
        """Count the subsets that the table does not show."""
        return len(set(self.offered_subsets) - set(self.table_choice.subsets or self.offered_subsets))

    @property
    def table_choice(self) -> TableChoice:
        """Return the choice. A field with a value that the page does not offer gets an error, and its usual values."""
        self.is_valid()
        columns = self.cleaned_data.get("column", self._usual.get("column", ()))
        return TableChoice(
            columns=of_variant(columns, self.cleaned_data.get("variant", "")),
            level=self.cleaned_data.get("level") or "per_context",
            ranking=self.cleaned_data.get("ranking") or DEFAULT_RANKING,
            subsets=tuple(self.cleaned_data.get("subset", self._usual.get("subset", ()))),
            sort=self.cleaned_data.get("sort", ""),
            over_prompts=self.cleaned_data.get("over_prompts", False),
        )


def run_label(run: Run) -> str:
    """Return the name of a run in a list of choices."""
    return f"{run.judge.name}, {run.prompt_name}, {run.attribute.name} (run {run.pk})"


def of_variant(columns: Sequence[str], variant: str) -> tuple[str, ...]:
    """Return the columns of a variant: raw, debiased, or both. Columns that have no debiased form stay."""
    if variant == "raw":
        return tuple(name for name in columns if not name.endswith(DEBIASED_COLUMN))
    if variant == "debiased":
        return tuple(name for name in columns if f"{name}{DEBIASED_COLUMN}" not in COLUMNS)
    return tuple(columns)


TEXT_FORMATS = [(ending, one.title) for ending, one in TABLE_FORMATS.items() if one.is_text]


class StyleForm(forms.Form):
    """The format and looks of a table for a paper."""

    format = forms.ChoiceField(required=False, choices=TEXT_FORMATS)
    digits = forms.IntegerField(label="Decimals of percentages", required=False, min_value=0, max_value=MOST_DIGITS)
    interval = forms.ChoiceField(
        label="Intervals", required=False, choices=[(name, name.replace("-", " ")) for name in INTERVAL_STYLES]
    )
    caption = forms.CharField(required=False, max_length=1000)
    label = forms.RegexField(LABEL, label="LaTeX label", required=False, max_length=100)

    def __init__(self, data: QueryDict, *, usual: TableStyle) -> None:
        complete = data.copy()
        for name, value in ({"format": "tex"} | asdict(usual)).items():
            if name not in data:
                complete[name] = value
        super().__init__(complete)

    @property
    def style(self) -> TableStyle:
        """Return the style. A value that is no choice is ignored."""
        self.is_valid()
        digits = self.cleaned_data.get("digits")
        return TableStyle(
            digits=1 if digits is None else digits,
            interval=self.cleaned_data.get("interval") or "brackets",
            caption=self.cleaned_data.get("caption", ""),
            label=self.cleaned_data.get("label", ""),
        )

    @property
    def chosen_format(self) -> str:
        """Return the ending of the chosen format."""
        self.is_valid()
        return self.cleaned_data.get("format") or "tex"
