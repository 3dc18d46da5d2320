"""The form that starts runs, its lists whose rare choices are folded, and the filters of runs and their answers."""

import hashlib
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any

from django import forms
from django.forms import BoundField, CheckboxSelectMultiple, RadioSelect
from django.forms.models import ModelChoiceIterator
from django.forms.widgets import ChoiceWidget
from django.http import QueryDict
from django.utils.html import format_html

from evenhand.numerics.selection.adaptive_selection import BT_OPTIMAL
from evenhand.numerics.selection.pair_selection import ANCHOR
from evenhand.numerics.selection.until_sure import UNTIL_SURE
from evenhand.options import read_options
from evenhand.prompting.methods import METHODS, METRIC
from evenhand.refusals import Refused
from judging.models import AnswerProblem, Attribute, Choice, Dataset, Judge, Outcome, Prompt, Run, User
from judging.models.datasets import DEVELOPMENT, PART_FIELD, TEST
from judging.models.exclusions import system_names
from judging.services.execution.reasoning import criteria_prompts
from judging.services.plans.selection_settings import SELECTION_TITLES, WITHOUT_NUMBER
from judging.services.runs.run_settings import RUN_OPTIONS
from judging.web.form_fields import FilterForm, RowsField, add_problems_to_fields, offer_named, shown_when
from judging.web.options import OfferedChoice, option_fields, values_sent


class FoldedChoices(ChoiceWidget):
    """A list of choices that shows the first groups and folds the others. It opens if one of the others is chosen.

    A choice without a group is a group of its own.
    """

    template_name = "judging/_folded_choices.html"

    def __init__(self, *, shown: int, more: str, **options: Any) -> None:  # noqa: ANN401 - the widget's own
        """shown: number of groups that are not folded. more: the words to unfold the others."""
        super().__init__(**options)
        self.shown, self.more = shown, more

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:  # noqa: ANN401
        context = super().get_context(name, value, attrs)
        groups = context["widget"]["optgroups"]
        folded = groups[self.shown :]
        opened = any(option["selected"] for _, options, _ in folded for option in options)
        context["widget"] |= {"groups": groups[: self.shown], "folded": folded, "opened": opened, "more": self.more}
        return context


class FoldedCheckboxes(FoldedChoices, CheckboxSelectMultiple):
    """Checkboxes. Any number may be chosen."""

    template_name = FoldedChoices.template_name


class FoldedRadios(FoldedChoices, RadioSelect):
    """Radio buttons. One may be chosen."""

    template_name = FoldedChoices.template_name


AT_RANDOM, BY_ANSWERS = "at random", "by answers"
SHOWN_SELECTIONS = 4
SHOWN_METHODS = ("comparative", "prepair", "pairwise", "scoring")
"""Methods whose prompts are not folded away: those of the papers, one of each kind."""
BUTTONS = ("show", "start", "shown", "once")
SHOWN_FOR = {
    "comparisons": [name for name in SELECTION_TITLES if name not in WITHOUT_NUMBER],
    "hold_out": [BT_OPTIMAL],
    "bound": [UNTIL_SURE],
    "anchor": [ANCHOR],
}
THINKING_FIELDS = ("thinking_tokens", "reasoning_effort", "cut_thinking")
COMMON_FIELDS = (
    *("attributes", "judges", "prompts", "selection", "comparisons"),
    *("hold_out", "bound", "anchor", "contexts", "only"),
)


def parts_and_subsets(dataset: Dataset) -> list[tuple[str, str]]:
    """Return the parts and subsets of a dataset as choices of contexts, all contexts first."""
    subsets = dataset.contexts.exclude(subset="").order_by("subset").values_list("subset", flat=True).distinct()
    parts = [(PART_FIELD, part) for part in (DEVELOPMENT, TEST) if dataset.split]
    named = [*parts, *(("subset", subset) for subset in subsets)]
    return [("", "all contexts"), *((f"{field}={value}", f"{field} {value}") for field, value in named)]


class PromptsByMethod(ModelChoiceIterator):
    """Prompts grouped by their method, the common methods first."""

    def __iter__(self) -> Iterator[Any]:
        by_method = {method: list(prompts) for method, prompts in groupby(self.queryset.all(), attrgetter("method"))}
        common = [method for method in SHOWN_METHODS if method in by_method]
        for method in dict.fromkeys([*common, *by_method]):
            yield (
                format_html('{} <span class="small">{}</span>', method, METHODS[method].description),
                [self.choice(prompt) for prompt in by_method[method]],
            )


class PromptsField(RowsField):
    iterator = PromptsByMethod

    def label_from_instance(self, prompt: Any) -> str:  # noqa: ANN401 - Django's signature
        return f"{prompt.label}, with ties" if prompt.offers_tie else prompt.label


class RunForm(forms.Form):
    """Settings of new runs on one dataset: one run for each judge, prompt and attribute.

    The options are read and refused as at every door.
    """

    attributes = RowsField(
        Attribute.objects.none(),
        label="Attributes",
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose at least one attribute."},
    )
    judges = RowsField(
        Judge.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        help_text="One run is started for each judge, prompt and attribute.",
        error_messages={"required": "Choose at least one judge."},
    )
    prompts = PromptsField(
        Prompt.objects.none(),
        label="Prompts",
        widget=FoldedCheckboxes(shown=len(SHOWN_METHODS), more="More methods"),
        error_messages={"required": "Choose at least one prompt."},
        help_text=f"The latest version of each, by method. Metrics need a prompt of method {METRIC.name}.",
    )
    field_order = (*COMMON_FIELDS, "seed")

    def __init__(self, dataset: Dataset, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - Django's signature
        super().__init__(*args, **kwargs)
        self.fields |= option_fields(RUN_OPTIONS)
        for option in RUN_OPTIONS:
            self.fields[option.name].help_text = "" if option.name == "cut_thinking" else option.help
        self._offer_choice("anchor", [("", "–"), *((name, name) for name in system_names(dataset))])
        self._offer_choice("only", parts_and_subsets(dataset))
        criteria = criteria_prompts().newest()
        self._offer_choice("metrics", [("", "none"), *((prompt.label, prompt.label) for prompt in criteria)])
        thinking = self.fields["thinking"]
        thinking.widget = forms.RadioSelect(attrs={"class": "lines"}, choices=thinking.choices)  # type: ignore[attr-defined]
        for name in THINKING_FIELDS:
            self.fields[name].widget.attrs |= shown_when("thinking", ["on"])
        self.order_fields(self.field_order)
        for name, rules in SHOWN_FOR.items():
            self.fields[name].widget.attrs |= shown_when("selection", rules)
        selection = self.fields["selection"]
        more = {"more": "More selections", "choices": selection.choices}  # type: ignore[attr-defined]
        selection.widget = FoldedRadios(shown=SHOWN_SELECTIONS, attrs={"class": "lines"}, **more)
        self._offer_attributes(dataset)
        offer_named(self.fields["judges"], Judge.objects.in_use())
        models = Judge.objects.in_use().exclude(backend=Judge.Backend.METRIC)
        self.fields["judges"].initial = [judge.pk for judge in models[:1]]  # for the prompt that is chosen at first
        self._offer_prompts()

    def _offer_choice(self, name: str, choices: Sequence[tuple[str, str]]) -> None:
        """Offer choices of this dataset in the place of an option's field."""
        of_option, field = self.fields[name], OfferedChoice(choices=choices, required=False)
        field.label, field.help_text = of_option.label, of_option.help_text
        self.fields[name] = field

    def clean(self) -> dict[str, Any]:
        """Read the options. Those of thinking that is off are hidden, and count as empty."""
        sent = {option.name: self.cleaned_data.get(option.name) for option in RUN_OPTIONS} | self._unknown_fields()
        hidden = THINKING_FIELDS if sent["thinking"] != "on" else ()
        try:
            read = read_options(RUN_OPTIONS, sent | dict.fromkeys(hidden))
        except Refused as refused:
            add_problems_to_fields(self, refused.problems)
            return self.cleaned_data
        return self.cleaned_data | read

    def _unknown_fields(self) -> dict[str, Any]:
        """Return what was sent and is no field and no button."""
        sent = self.data if isinstance(self.data, QueryDict) else QueryDict()
        return {name: value for name, value in values_sent(sent).items() if name not in (*self.fields, *BUTTONS)}

    def _offer_attributes(self, dataset: Dataset) -> None:
        field = self.fields["attributes"]
        field.queryset = dataset.attributes.all()  # type: ignore[attr-defined]
        field.initial = list(dataset.attributes.all()[:1])

    def _offer_prompts(self) -> None:
        newest = Prompt.objects.newest().filter(method__in=METHODS)
        field = self.fields["prompts"]
        field.queryset = newest  # type: ignore[attr-defined]
        field.initial = [prompt.pk for prompt in newest[:1]]
        comparing = [str(prompt.pk) for prompt in newest if not METHODS[prompt.method].is_scoring]
        self.fields["selection"].widget.attrs |= shown_when("prompts", comparing)

    @property
    def common_fields(self) -> list[BoundField]:
        """Return the fields that the page shows unfolded."""
        return [field for field in self.visible_fields() if field.name in COMMON_FIELDS]

    @property
    def rare_fields(self) -> list[BoundField]:
        """Return the fields that the page folds."""
        return [field for field in self.visible_fields() if field.name not in COMMON_FIELDS]

    @property
    def uses_rare_fields(self) -> bool:
        """Return True if a folded field has an error or another value than at first."""
        names = {field.name for field in self.rare_fields}
        return bool(names & ({*self.errors} | {*self.changed_data} if self.is_bound else {*self.initial}))

    def digest(self) -> str:
        """Hash all settings of a valid form, to check that the runs started are the runs previewed.

        An empty field and a hidden field give the same hash.
        """
        rows = {name: [row.pk for row in self.cleaned_data[name]] for name in ("attributes", "judges", "prompts")}
        values = self.cleaned_data | rows
        return hashlib.sha256(repr(sorted(values.items())).encode()).hexdigest()


class RunFilterForm(FilterForm):
    """Filters of the list of runs."""

    dataset = forms.ModelChoiceField(Dataset.objects.none(), required=False, empty_label="all")
    judge = forms.ModelChoiceField(Judge.objects.none(), required=False, empty_label="all")
    method = forms.ChoiceField(
        required=False, choices=[("", "all"), *((method.name, method.title) for method in METHODS.values())]
    )
    status = forms.ChoiceField(label="State", required=False, choices=[("", "all"), *Run.Status.choices])

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - Django's signature
        super().__init__(*args, **kwargs)
        offer_named(self.fields["dataset"], Dataset.objects.visible_to(user))
        offer_named(self.fields["judge"], Judge.objects.visible_to(user))


class AnswerFilterForm(FilterForm):
    """Filters of a run's comparisons or scores."""

    outcome = forms.ChoiceField(required=False, choices=[("", "all"), *Outcome.choices])
    problem = forms.ChoiceField(required=False, choices=[("", "all"), *AnswerProblem.choices])
    decision = forms.ChoiceField(required=False, choices=[("", "all"), *Choice.choices])
    context = forms.CharField(required=False, max_length=500, label="Identifier of the context")
    drawn = forms.ChoiceField(
        required=False,
        label="Pairs drawn",
        choices=[("", "all"), (AT_RANDOM, "at random, held out"), (BY_ANSWERS, "by the answers so far")],
    )

    def __init__(self, run: Run, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - Django's signature
        super().__init__(*args, **kwargs)
        if run.is_scoring:
            del self.fields["decision"]
        if run.hold_out is None:
            del self.fields["drawn"]
