"""What pages ask for: datasets, runs, judges. Forms check the shape; services check the meaning."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import attrgetter
from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.forms.models import ModelChoiceIterator
from django.template.defaultfilters import filesizeformat
from django.utils.html import format_html

from judging.engine.metrics import BERTSCORE, METRICS
from judging.formats import DATASET_FORMATS
from judging.models import Attribute, Choice, Dataset, Judge, Outcome, Prompt, Run, User
from judging.prompting.methods import METHODS, METRIC, names_of
from judging.services.execution.criteria import criteria_prompts
from judging.services.plans.generation_settings import MOST_SAMPLES
from judging.services.plans.held_out_pairs import HOLD_OUT
from judging.services.plans.next_adaptive_pairs import BT_OPTIMAL


class ManyFilesInput(forms.ClearableFileInput):
    allow_multiple_selected = True


class ManyFilesField(forms.FileField):
    """One or more files. Cleans to a list."""

    def clean(self, data: object, initial: object = None) -> Any:  # noqa: ANN401 - Django's signature
        files = data if isinstance(data, list | tuple) else [data]
        return [super(ManyFilesField, self).clean(file, initial) for file in files or [None]]


class UploadForm(forms.Form):
    """The files of one dataset."""

    files = ManyFilesField(  # type: ignore[assignment]  # the form's own `files` is not a class attribute
        label="File, or files of one dataset",
        widget=ManyFilesInput(attrs={"data-limit": settings.MAX_UPLOAD_BYTES}),
        allow_empty_file=True,  # reading them tells it, with every other problem
    )
    format = forms.ChoiceField(
        label="Format",
        required=False,
        choices=[
            ("", "recognise it from the content"),
            *((known.name, f"{known.title} ({known.file_type})") for known in DATASET_FORMATS.values()),
        ],
        help_text="Choose one only if the recognised format is wrong.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - Django's signature
        super().__init__(*args, **kwargs)
        limit = filesizeformat(settings.MAX_UPLOAD_BYTES)
        self.fields["files"].help_text = f"At most {limit} together. CSV, JSON or JSON Lines, in UTF-8."

    @property
    def public_format_titles(self) -> list[str]:
        return [known.title for known in DATASET_FORMATS.values() if known.source]

    def clean_files(self) -> list[UploadedFile]:
        files: list[UploadedFile] = self.cleaned_data["files"]
        size, limit = sum(file.size or 0 for file in files), settings.MAX_UPLOAD_BYTES
        if size > limit:
            raise forms.ValidationError(
                f"the files have {filesizeformat(size)} together; at most {filesizeformat(limit)} are accepted"
            )
        return files


class ConfirmForm(forms.ModelForm):
    """The name under which an uploaded dataset is stored."""

    class Meta:
        model = Dataset
        fields = ["name"]
        help_texts = {"name": "As it appears in lists, addresses of downloads and commands."}
        error_messages = {"name": {"unique": "a dataset of this name exists; choose another name"}}


LARGEST_COUNT = 2**31 - 1  # what the columns of the database hold
SELECTIONS = {
    "full": "every pair, in both orders",
    "random": "pairs drawn at random",
    "no-repeat": "pairs drawn at random, each in one order only",
    "symmetric": "pairs drawn at random, each in both orders",
    "d-optimal": "pairs that make the scores most precise, chosen before the first answer",
    "bt-optimal": "pairs that make the scores most precise, chosen in rounds by the answers so far",
}


def applies_where(selections: Iterable[str]) -> dict[str, str]:
    """Attributes of a field that only some selections have; static/js/applies.js shows it only there."""
    return {"data-applies-to": "selection", "data-applies-when": " ".join(selections)}


class ByMethod(ModelChoiceIterator):
    """The prompts of each method together."""

    def __iter__(self) -> Iterator[Any]:
        for method, prompts in groupby(self.queryset.all(), key=attrgetter("method")):
            yield (
                format_html('{} <span class="small">{}</span>', method, METHODS[method].description),
                [self.choice(prompt) for prompt in prompts],
            )


class PromptChoice(forms.ModelMultipleChoiceField):
    iterator = ByMethod

    def label_from_instance(self, prompt: Any) -> str:  # noqa: ANN401 - Django's signature
        return f"{prompt.label}, may call a tie" if prompt.label_tie else prompt.label


class RunForm(forms.Form):
    """What is to be judged, by whom and how."""

    attributes = forms.ModelMultipleChoiceField(
        Attribute.objects.none(),
        label="Attributes",
        widget=forms.CheckboxSelectMultiple,
        help_text="One run is started for each.",
    )
    judge = forms.ModelChoiceField(Judge.objects.exclude(backend=Judge.Backend.RECORDED), empty_label=None)
    prompts = PromptChoice(
        Prompt.objects.none(),
        label="Prompts, and the methods they ask by",
        widget=forms.CheckboxSelectMultiple(attrs={"class": "groups"}),
        help_text="The latest version of each. One run is started for each, of every attribute. Those of method "
        f"{METRIC.name} are for metrics, which take no others.",
    )
    selection = forms.ChoiceField(
        label="Which pairs",
        required=False,
        choices=[(name, f"{name}: {told}") for name, told in SELECTIONS.items()],
        widget=forms.RadioSelect(attrs={"class": "lines"}),
        initial="full",
        help_text="Methods that score ask about every text, each alone: with them, leave it at full.",
    )
    budget = forms.IntegerField(
        label="Comparisons per context",
        required=False,
        min_value=1,
        max_value=LARGEST_COUNT,
        widget=forms.NumberInput(attrs=applies_where(name for name in SELECTIONS if name != "full")),
        help_text="How many questions about each context. Leave it empty for full.",
    )
    hold_out = forms.FloatField(
        label="Share held out",
        required=False,
        min_value=0,
        max_value=1,
        widget=forms.NumberInput(attrs=applies_where([BT_OPTIMAL]) | {"step": "any"}),
        help_text="So much of the comparisons is about random pairs that the choice does not look at: they tell how "
        f"good the judge is on pairs that nobody chose. Empty for {HOLD_OUT}.",
    )
    context_limit = forms.IntegerField(
        label="Contexts",
        required=False,
        min_value=1,
        max_value=LARGEST_COUNT,
        help_text="Only the first so many. Empty for all of them.",
    )
    seed = forms.IntegerField(
        initial=0,
        min_value=0,
        help_text="Of the choice of pairs, and of what is sampled: the same seed chooses the same again.",
    )
    samples = forms.IntegerField(
        label="Samples of each answer",
        required=False,
        min_value=1,
        max_value=MOST_SAMPLES,
        help_text="So many short texts are written for each answer, and those that name one of the two are counted, or "
        "the numbers averaged. Empty to read answers off by probability; best for endpoints that give none.",
    )
    temperature = forms.FloatField(
        required=False,
        min_value=0,
        widget=forms.NumberInput(attrs={"step": "any"}),
        help_text="Of everything that the judge writes. Empty for 0, the likeliest text; samples need one above 0.",
    )
    metrics = forms.ChoiceField(
        label="Self-generated metrics",
        required=False,
        help_text="For each context the judge first writes up to three questions of its own to judge by, once, and is "
        "shown them with every question. Prompts of your own are offered too. Not for "
        f"{names_of(method for method in METHODS.values() if not method.takes_criteria)}.",
    )

    def __init__(self, dataset: Dataset, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - Django's signature
        super().__init__(*args, **kwargs)
        attributes, prompts = self.fields["attributes"], self.fields["prompts"]
        attributes.queryset = dataset.attributes.all()  # type: ignore[attr-defined]
        attributes.initial = list(dataset.attributes.all()[:1])
        asked = Judge.objects.exclude(backend__in=[Judge.Backend.RECORDED, Judge.Backend.METRIC])
        self.fields["judge"].initial = asked.first()  # one that takes the prompt chosen at first
        newest = Prompt.objects.newest().filter(method__in=METHODS)
        prompts.queryset = newest  # type: ignore[attr-defined]
        prompts.initial = [prompt.pk for prompt in newest[:1]]
        own = [prompt.label for prompt in criteria_prompts().newest()]
        self.fields["metrics"].choices = [("", "none"), *((name, name) for name in own)]  # type: ignore[attr-defined]
        compare = [str(prompt.pk) for prompt in newest if not METHODS[prompt.method].is_scoring]
        where = {"data-applies-to": "prompts", "data-applies-when": " ".join(compare)}
        self.fields["selection"].widget.attrs |= where

    def clean_selection(self) -> str:
        """A script takes the choice away where no prompt compares."""
        return self.cleaned_data["selection"] or "full"

    def digest(self) -> str:
        """Of everything chosen, in a valid form: tells whether what is started is what was shown.

        A field that is left empty and one that a script took away mean the same.
        """
        chosen = self.cleaned_data | {"judge": self.cleaned_data["judge"].pk}
        chosen |= {name: [row.pk for row in self.cleaned_data[name]] for name in ("attributes", "prompts")}
        return hashlib.sha256(repr(sorted(chosen.items())).encode()).hexdigest()


class RunFilterForm(forms.Form):
    """Which runs the list shows."""

    dataset = forms.ModelChoiceField(Dataset.objects.none(), required=False, empty_label="all")
    judge = forms.ModelChoiceField(Judge.objects.all(), required=False, empty_label="all")
    method = forms.ChoiceField(
        required=False,
        choices=[("", "all"), *((method.name, method.title) for method in METHODS.values())],
    )
    status = forms.ChoiceField(label="State", required=False, choices=[("", "all"), *Run.Status.choices])

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - Django's signature
        super().__init__(*args, **kwargs)
        self.fields["dataset"].queryset = Dataset.objects.visible_to(user)  # type: ignore[attr-defined]

    def chosen(self) -> dict[str, Any]:
        """The filters that are set; a filter that is not valid is left out, and its field says so."""
        self.is_valid()
        return {name: value for name, value in self.cleaned_data.items() if value}


AT_RANDOM, BY_ANSWERS = "at random", "by answers"


class ComparisonFilterForm(forms.Form):
    """Which comparisons of a run the page shows."""

    outcome = forms.ChoiceField(required=False, choices=[("", "all"), *Outcome.choices])
    decision = forms.ChoiceField(required=False, choices=[("", "all"), *Choice.choices])
    context = forms.CharField(required=False, max_length=500, label="Identifier of the context")
    drawn = forms.ChoiceField(
        required=False,
        label="Pairs drawn",
        choices=[("", "all"), (AT_RANDOM, "at random, held out"), (BY_ANSWERS, "by the answers so far")],
    )

    def __init__(self, *args: Any, is_adaptive: bool, **kwargs: Any) -> None:  # noqa: ANN401 - Django's signature
        super().__init__(*args, **kwargs)
        if not is_adaptive:
            del self.fields["drawn"]

    def chosen(self) -> dict[str, Any]:
        self.is_valid()
        return {name: value for name, value in self.cleaned_data.items() if value}


class JudgeForm(forms.Form):
    """A model that runs here, or a metric. Endpoints with keys are added on the command line, by who sets their
    variables.
    """

    name = forms.CharField(max_length=200, help_text="As it appears in lists and tables.")
    backend = forms.ChoiceField(
        label="What it is",
        choices=[
            (Judge.Backend.TRANSFORMERS, "a language model: it is asked in words"),
            (Judge.Backend.METRIC, "a metric: it measures each text"),
        ],
        widget=forms.RadioSelect(attrs={"class": "lines"}),
        initial=Judge.Backend.TRANSFORMERS,
    )
    model = forms.CharField(
        max_length=500,
        help_text="A hub id such as google/flan-t5-base, or a folder on the machine of the workers. Of a metric: "
        f"{', '.join(name for name in METRICS if name != BERTSCORE)}, or {BERTSCORE} with its model, as in "
        f"{BERTSCORE}:roberta-large.",
    )
    revision = forms.CharField(
        max_length=200,
        required=False,
        help_text="Commit, tag or branch of a hub model. Empty for the newest, and for metrics without a model.",
    )
    dtype = forms.ChoiceField(
        label="Number format",
        choices=[(name, name) for name in Judge.Dtype.values],
        help_text="On a GPU bfloat16 is several times as fast as float32.",
    )
    device = forms.CharField(max_length=20, initial="auto", help_text="cpu, cuda, cuda:1 (or another number) or auto.")
