"""The form above a study's table. Its choices are query parameters, and hold for every tab of the study."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from django import forms
from django.core.exceptions import ValidationError
from django.forms import BoundField
from django.http import QueryDict

from evenhand.numerics import RANKING_TITLES
from evenhand.numerics.correlation.coefficients import LEVELS
from judging.models import Run, Study
from judging.models.studies_and_reports import reads_part
from judging.web.options import YES_OR_NO
from rankings.loading import subset_names
from rankings.report.report_choice import ALL, ORDERS, SUBSET, UNPARSED
from rankings.studies.dimensions import DIMENSIONS, EVERY, NAME_OF_RUN, names_of_runs, usual_dimensions, varying
from rankings.studies.pivots.pivot_choice import PivotChoice
from rankings.studies.pivots.pivot_figures import PIVOT_FIGURES
from rankings.studies.pivots.pivot_table import DIMENSION_TITLES, LEVEL_TITLES
from rankings.studies.presets import PRESETS
from rankings.studies.study_choice import study_choice

FIGURE_GROUPS = [
    ("Agreement with people", [name for name, one in PIVOT_FIGURES.items() if one.higher_is_better]),
    ("Bias and counts", [name for name, one in PIVOT_FIGURES.items() if not one.higher_is_better]),
]
OF_RUNS = tuple(NAME_OF_RUN)
USUAL_VALUES = {"order": "both", "unparsed": "excluded"}
NO_SUCH_ROW = "The table has no row “%(value)s”, so it shows no differences."


class PivotForm(forms.Form):
    """Rows, columns and figure of a study's table, and the runs that it is limited to."""

    rows = forms.ChoiceField(required=False)
    columns = forms.ChoiceField(required=False)
    figure = forms.ChoiceField(required=False)
    debias = forms.ChoiceField(label="Bias", required=False, choices=[("no", "raw"), ("yes", "debiased")])
    ranking = forms.ChoiceField(required=False, choices=list(RANKING_TITLES.items()))
    level = forms.ChoiceField(required=False, choices=[(level, LEVEL_TITLES[level]) for level in LEVELS])
    order = forms.ChoiceField(label="Order", required=False, choices=list(ORDERS.items()))
    unparsed = forms.ChoiceField(label="Unparsed", required=False, choices=list(UNPARSED.items()))
    subset = forms.ChoiceField(required=False)
    baseline = forms.ChoiceField(label="Difference to", required=False, error_messages={"invalid_choice": NO_SUCH_ROW})
    references = forms.ChoiceField(label="Reference rows", required=False, choices=[("yes", "shown"), ("no", "hidden")])
    sort = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, data: QueryDict, *, study: Study, runs: Sequence[Run], subsets: Sequence[str]) -> None:
        """runs: of the study, those that this person may see. subsets: of their datasets, groups included."""
        self.study, self.runs, self.subsets = study, runs, subsets
        names = names_of_runs(runs)
        differing = varying(names.values())
        super().__init__({name: data[name] for name in data if data[name] != EVERY})
        for dimension in differing:
            offered = dict.fromkeys(names[run.pk][dimension] for run in runs)
            choices = [("", f"all {len(offered)}"), *((name, name) for name in offered)]
            self.fields[dimension] = forms.ChoiceField(
                label=DIMENSION_TITLES[dimension], required=False, choices=choices
            )
        self.varying = [*differing, *([SUBSET] if subsets else [])]
        self._offer_choices()
        self.is_valid()
        self.choice = self._choice()
        self._set_initial()

    def _offer_choices(self) -> None:
        dimensions = list(self._combinations())
        self._offer("rows", dimensions)
        self._offer("columns", dimensions)
        groups = [(title, [(name, PIVOT_FIGURES[name].title) for name in names]) for title, names in FIGURE_GROUPS]
        self._offer("figure", groups)
        self._offer("subset", [(name, name) for name in (ALL, *self.subsets)])

    def _offer(self, field: str, choices: Sequence[tuple[str, object]]) -> None:
        self.fields[field].choices = choices  # type: ignore[attr-defined]

    def value(self, name: str) -> str:
        """Return a choice; "" for none, and for a value that the page does not offer."""
        return self.cleaned_data.get(name) or ""

    def _combinations(self) -> list[tuple[str, str]]:
        """Return all dimensions, combinations of those in which runs differ, and those of the address."""
        combined = [names for size in (2, 3) for names in combinations(self.varying, size)]
        offered = [*((name,) for name in DIMENSIONS), *combined, *self._given_dimensions()]
        titles = {",".join(names): " × ".join(DIMENSION_TITLES[name].lower() for name in names) for names in offered}
        return [("", "usual"), *titles.items()]

    def _given_dimensions(self) -> Iterator[tuple[str, ...]]:
        """Yield the combinations of the address, or of its preset, that are made of dimensions."""
        preset = PRESETS.get(self.data.get("preset", ""))
        of_preset = (preset.rows, preset.columns) if preset else ()
        given = (tuple(self.data.get(name, "").split(",")) for name in ("rows", "columns"))
        yield from (names for names in (*given, *of_preset) if set(names) <= set(DIMENSIONS))
        runs = list(self.runs)
        if runs:
            yield from usual_dimensions(runs)

    def _choice(self) -> PivotChoice:
        preset = PRESETS.get(self.data.get("preset", ""))
        columns = tuple(filter(None, self.value("columns").split(","))) or (preset.columns if preset else ())
        rows = tuple(filter(None, self.value("rows").split(","))) or (preset.rows if preset else ())
        self._given_rows = rows
        rows, columns = usual_dimensions(
            self.runs, rows=tuple(name for name in rows if name not in columns), columns=columns
        )
        figure = self.value("figure")
        has_debiased = bool(PIVOT_FIGURES[figure].debiased) if figure else True
        return study_choice(
            self.study,
            self.runs,
            rows=",".join(rows),
            columns=",".join(columns),
            figure=figure,
            ranking=self.value("ranking"),
            level=self.value("level") or None,  # type: ignore[arg-type]
            debias=(self.value("debias") == "yes" and has_debiased) if "debias" in self.data else None,
            only=tuple(f"{name}={self.value(name)}" for name in self._limited((*rows, *columns))),
            preset=preset.name if preset else "",
            order=self.value("order") or None,  # type: ignore[arg-type]
            unparsed=self.value("unparsed") or None,  # type: ignore[arg-type]
        )

    def _limited(self, used: Sequence[str]) -> list[str]:
        """Return the dimensions that are limited to one name. used: rows and columns."""
        limits = [name for name in OF_RUNS if name in self.fields and self.value(name)]
        is_subset = SUBSET not in used and self.value("subset") not in ("", ALL)
        return [*limits, *([SUBSET] if is_subset else [])]

    def _set_initial(self) -> None:
        """Show the choice that holds in fields that the address leaves open."""
        figure = self.choice.figure
        self.data = {
            **self.data,
            "rows": ",".join(self.choice.rows),
            "columns": ",".join(self.choice.columns),
            "figure": figure.name,
            "ranking": figure.ranking,
            "level": figure.level,
            "debias": YES_OR_NO[figure.debiased],
            "order": self.choice.answers.order,
            "unparsed": self.choice.answers.unparsed,
        }

    @property
    def main_fields(self) -> list[BoundField]:
        """Return the fields of the line above the table: those that change what it shows."""
        figure = PIVOT_FIGURES[self.choice.figure.name]
        names = ["rows", "columns", "figure"]
        names += ["ranking", "level"] if figure.is_ranked else []
        names += ["debias"] if figure.debiased and not figure.name.endswith("_debiased") else []
        names += ["subset"] if self.subsets and SUBSET not in (*self.choice.rows, *self.choice.columns) else []
        averaged = [name for name in self.varying if name in self.fields and name not in self._dimensions]
        return [self[name] for name in (*names, *(name for name in averaged if name != SUBSET))]

    @property
    def more_fields(self) -> list[BoundField]:
        """Return the folded fields: answers that count, limits, comparison."""
        limits = [name for name in self.varying if name in self._dimensions and name in OF_RUNS]
        return [self[name] for name in ("order", "unparsed", "baseline", "references", *limits)]

    @property
    def uses_more_fields(self) -> bool:
        """Return True if a folded field differs from its usual choice."""
        return any((field.value() or "") != USUAL_VALUES.get(field.name, "") for field in self.more_fields)

    @property
    def _dimensions(self) -> tuple[str, ...]:
        return (*self.choice.rows, *self.choice.columns)

    @property
    def has_references(self) -> bool:
        """Return True if the table has rows of people and of simple judges."""
        return self.value("references") != "no"

    def offer_baselines(self, rows: Sequence[str]) -> str:
        """Offer the rows of the table as the baseline of differences, and return the chosen one; "" for none."""
        self._offer("baseline", [("", "none"), *((name, name) for name in rows)])
        self.errors.pop("baseline", None)
        try:
            self.cleaned_data["baseline"] = self.fields["baseline"].clean(self.data.get("baseline", ""))
        except ValidationError as error:
            self.add_error("baseline", error)
        return self.value("baseline")

    @property
    def in_columns_already(self) -> str:
        """Return why rows are not those of the address: their dimensions stand in the columns; "" if they are."""
        repeated = [name for name in self._given_rows if name in self.choice.columns]
        if not repeated:
            return ""
        titles, rows = (
            " × ".join(DIMENSION_TITLES[name].lower() for name in names) for names in (repeated, self.choice.rows)
        )
        verb = "stands" if len(repeated) == 1 else "stand"
        return f"{titles.capitalize()} {verb} in the columns already, so the rows are {rows}."


def subset_choices(study: Study, runs: Sequence[Run]) -> list[str]:
    """Return the subsets of the datasets of some runs, and the study's groups; none without subsets.

    A study of one part of its contexts is limited to that part, and offers no subset.
    """
    if reads_part(study, runs):
        return []
    datasets = {run.dataset_id: run.dataset for run in runs}.values()
    subsets = list(dict.fromkeys(name for dataset in datasets for name in subset_names(dataset)))
    return [*subsets, *(group.partition("=")[0].strip() for group in study.groups)] if subsets else []
