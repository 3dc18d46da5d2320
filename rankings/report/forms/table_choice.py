"""The form that chooses the rows and columns of a table of results."""

from collections.abc import Mapping, Sequence

from django import forms
from django.http import QueryDict

from evenhand.numerics import DEFAULT_RANKING, RANKING_TITLES
from judging.models import Run
from rankings.report.over_prompts.prompt_means import prompt_groups
from rankings.report.report_columns import COLUMNS, NAMES
from rankings.report.report_row import LEVEL_MEANINGS
from rankings.report.report_table import TableChoice
from rankings.report.table_options import SORTS

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
