"""Forms of studies: their plan, their name and groups, and the filters of runs to collect."""

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from django import forms
from django.http import QueryDict

from evenhand.numerics.selection.pair_selection import ANCHOR
from evenhand.numerics.selection.until_sure import DEFAULT_BOUND, UNTIL_SURE
from evenhand.prompting.methods import METHODS
from judging.forms.runs import SHOWN_METHODS, SHOWN_SELECTIONS, PromptsField, RunSettingsForm
from judging.models import Attribute, Dataset, Judge, Prompt, Study, User
from judging.models.datasets import DEVELOPMENT, TEST
from judging.models.runs import NULL_PAIRS
from judging.services.plans.selection_settings import LARGEST_NUMBER, SELECTION_TITLES, WITHOUT_NUMBER
from judging.services.runs.run_settings import SETTING_FIELDS
from judging.services.studies.study_changes import LONGEST_NAME
from judging.services.studies.study_plan import DEFAULT_SELECTION
from judging.web.folded_choices import FoldedCheckboxes
from judging.web.form_fields import FilterForm, LinesField, RowsField, offer_named

FIELD_OF_PROBLEM = {
    "dataset": "datasets",
    "attribute": "attributes",
    "judge": "judges",
    "prompt": "prompts",
    "selection": "selections",
    "comparisons": "comparisons",
    "seed": "seeds",
}
"""Beginning of a plan's problem -> the field that shows it."""
RARE_FIELDS = ("description", "selections", "comparisons", "anchors", "bound", "seeds", "contexts")
PLAN_ORDER = (
    *("datasets", "attributes", "judges", "prompts"),
    *("selections", "comparisons", "anchors", "bound", "seeds", "contexts"),
)
LARGEST_LISTED = 100


class NumbersField(forms.CharField):
    """Whole numbers, separated by commas. Its value is a list without repetition."""

    def clean(self, value: Any) -> list[int]:  # noqa: ANN401 - as the browser sent it
        words = [word for word in re.split(r"[,\s]+", super().clean(value)) if word]
        if wrong := [word for word in words if not re.fullmatch(r"[0-9]{1,18}", word)]:
            raise forms.ValidationError(f'"{wrong[0]}" is no whole number; write for example 12, 24, 48')
        if len(words) > LARGEST_LISTED:
            raise forms.ValidationError(f"give at most {LARGEST_LISTED} numbers")
        return list(dict.fromkeys(map(int, words)))


class StudyPlanForm(RunSettingsForm):
    """The plan of a study: one run for each combination of the chosen values."""

    datasets = RowsField(Dataset.objects.none(), widget=forms.CheckboxSelectMultiple)
    attributes = forms.MultipleChoiceField(
        required=False, widget=forms.CheckboxSelectMultiple, help_text="Empty: all of the chosen datasets."
    )
    judges = RowsField(Judge.objects.none(), widget=forms.CheckboxSelectMultiple)
    prompts = PromptsField(
        Prompt.objects.none(),
        widget=FoldedCheckboxes(shown=len(SHOWN_METHODS), more="More methods"),
        help_text="The latest version of each, by method.",
    )
    selections = forms.MultipleChoiceField(
        label="Pairs",
        required=False,
        choices=[(name, f"{name}: {title}") for name, title in SELECTION_TITLES.items() if name != NULL_PAIRS],
        widget=FoldedCheckboxes(shown=SHOWN_SELECTIONS, more="More selections", attrs={"class": "lines"}),
        initial=[DEFAULT_SELECTION],
        help_text="Scoring methods score every text: they need full.",
    )
    comparisons = NumbersField(
        label="Comparisons per context",
        required=False,
        help_text="For selections that draw pairs. Several numbers give several runs: 12, 24, 48.",
    )
    anchors = LinesField(
        label="Compare with",
        help_text="For the selection anchor: systems, one a line. Several systems give several runs.",
    )
    bound = forms.FloatField(
        label="Stop at",
        required=False,
        min_value=0,
        max_value=0.5,
        help_text="For the selection until-sure: expected share of pairs of candidates that would still change order "
        f"(empty: {DEFAULT_BOUND}).",
    )
    seeds = NumbersField(
        required=False, initial="0", help_text="Random seeds of the pairs. Several seeds give several runs: 0, 1, 2."
    )
    contexts = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=LARGEST_NUMBER,
        help_text="Limit each dataset to its first N contexts (empty: all).",
    )
    field_order: Sequence[str] = PLAN_ORDER

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - Django's signature
        super().__init__(*args, **kwargs)
        visible = Dataset.objects.visible_to(user)
        offer_named(self.fields["datasets"], visible)
        offer_named(self.fields["judges"], Judge.objects.in_use())
        self.fields["attributes"].choices = attribute_choices(visible)  # type: ignore[attr-defined]
        self.fields["prompts"].queryset = Prompt.objects.newest().filter(method__in=METHODS)  # type: ignore[attr-defined]

    @property
    def common_fields(self) -> list[forms.BoundField]:
        """Fields that most studies need."""
        return [field for field in self.visible_fields() if field.name not in (*RARE_FIELDS, *SETTING_FIELDS)]

    @property
    def rare_fields(self) -> list[forms.BoundField]:
        """Fields whose defaults fit most studies."""
        return [field for field in self.visible_fields() if field.name in RARE_FIELDS]

    @property
    def opens_rare_fields(self) -> bool:
        """True if a rare field was sent with another value than its default, or has an error."""
        return self._is_used(self.rare_fields)

    @property
    def opens_setting_fields(self) -> bool:
        """True if a setting was sent with another value than its default, or has an error."""
        return self._is_used(self.setting_fields)

    def _is_used(self, fields: Sequence[forms.BoundField]) -> bool:
        return any(field.errors or (self.is_bound and field.name in self.changed_data) for field in fields)

    def plan_names(self) -> dict[str, Any]:
        """Return the plan of a valid form, as `StudyPlan.by_names` reads it."""
        chosen = self.cleaned_data
        return {
            "datasets": [dataset.pk for dataset in chosen["datasets"]],
            "attributes": chosen["attributes"],
            "judges": [judge.pk for judge in chosen["judges"]],
            "prompts": [prompt.label for prompt in chosen["prompts"]],
            "selections": selection_texts(
                chosen["selections"], chosen["comparisons"], chosen["anchors"], bound=chosen["bound"]
            ),
            "seeds": chosen["seeds"],
            "contexts": chosen["contexts"],
            **self.setting_names(),
        }

    def add_problems(self, problems: Sequence[str]) -> None:
        """Show each problem of a plan at its field; others appear above the form."""
        for problem in problems:
            name, _, reason = problem.partition(": ")
            field = FIELD_OF_PROBLEM.get(name, name)
            if field in self.fields:
                self.add_error(field, reason)
            else:
                self.add_error(None, problem)


class NewStudyForm(StudyPlanForm):
    """A new study: its name and its plan."""

    name = forms.CharField(max_length=LONGEST_NAME)
    description = forms.CharField(required=False, widget=forms.Textarea(attrs={"rows": 2}))
    field_order = ("name", "description", *PLAN_ORDER)


class ExtendStudyForm(StudyPlanForm):
    """Further values of a study's plan. Empty fields add nothing."""

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - Django's signature
        super().__init__(user, *args, **kwargs)
        for name in ("datasets", "judges", "prompts"):
            self.fields[name].required = False
        for name in ("selections", "seeds"):
            self.fields[name].initial = None
        for name in ("contexts", *SETTING_FIELDS):
            del self.fields[name]
        self.fields["attributes"].help_text = "Further attributes."

    def plan_names(self) -> dict[str, Any]:
        """Return the further values of a valid form, by names."""
        self.cleaned_data["contexts"] = None
        names = super().plan_names()
        del names["contexts"]
        return names

    def setting_names(self) -> dict[str, Any]:
        """Return nothing: the settings of the plan hold for further values too."""
        return {}


class StudyForm(forms.Form):
    """The name, description, groups and part of a study."""

    name = forms.CharField(max_length=LONGEST_NAME)
    description = forms.CharField(required=False, widget=forms.Textarea(attrs={"rows": 3}))
    groups = LinesField(
        label="Groups of subsets",
        help_text="One a line: NAME=SUBSET,SUBSET. The study's table shows each as a further subset, for example "
        "Adversarial=GPTInst,GPTOut,Manual,Neighbor.",
    )
    part = forms.ChoiceField(
        label="Reports on",
        required=False,
        choices=[("", "all contexts"), (DEVELOPMENT, "the development part"), (TEST, "the test part")],
    )
    chosen_in = forms.ModelChoiceField(
        Study.objects.none(),
        label="Chosen in",
        required=False,
        empty_label="no study",
        help_text="The study in which its prompts and judges were chosen. It may not report on the same contexts.",
    )

    def __init__(self, data: QueryDict | None, *, study: Study, user: User) -> None:
        """Show the study's values until others are posted."""
        values = {"name": study.name, "description": study.description, "groups": "\n".join(study.groups)}
        super().__init__(data, initial=values | {"part": study.part, "chosen_in": study.chosen_in})
        others = Study.objects.visible_to(user).exclude(pk=study.pk)
        self.fields["chosen_in"].queryset = others  # type: ignore[attr-defined]


class CollectFilterForm(FilterForm):
    """Filters of the runs that may be added to a study."""

    dataset = forms.ModelChoiceField(Dataset.objects.none(), required=False, empty_label="all")
    judge = forms.ModelChoiceField(Judge.objects.none(), required=False, empty_label="all")
    method = forms.ChoiceField(
        required=False, choices=[("", "all"), *((method.name, method.title) for method in METHODS.values())]
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - Django's signature
        super().__init__(*args, **kwargs)
        offer_named(self.fields["dataset"], Dataset.objects.visible_to(user))
        offer_named(self.fields["judge"], Judge.objects.visible_to(user))


def selection_texts(
    rules: Sequence[str], numbers: Sequence[int], anchors: Sequence[str], *, bound: float | None = None
) -> list[str]:
    """Combine rules with numbers of comparisons or with anchors; a rule that takes none stands alone.

    bound: of until-sure; None for the default.
    """
    texts: list[str] = []
    for rule in rules:
        name = rule if bound is None or rule != UNTIL_SURE else f"{rule}:{float(bound)}"
        values = anchors if rule == ANCHOR else () if rule in WITHOUT_NUMBER else numbers
        texts += [f"{name}:{value}" for value in values] or [name]
    return texts


def attribute_choices(datasets: Any) -> list[tuple[str, str]]:  # noqa: ANN401 - a queryset of datasets
    """Return the names of attributes, with the datasets that have them."""
    by_name: dict[str, list[str]] = defaultdict(list)
    rows = Attribute.objects.filter(dataset__in=datasets).order_by("dataset__name", "position")
    for name, dataset in rows.values_list("name", "dataset__name"):
        by_name[name].append(dataset)
    return [(name, f"{name} ({', '.join(owners)})") for name, owners in by_name.items()]
