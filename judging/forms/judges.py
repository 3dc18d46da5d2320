"""The form that adds a judge."""

from __future__ import annotations

from typing import Any

from django import forms
from django.db.models import QuerySet

from evenhand.engine import Thinking
from evenhand.engine.endpoint.dialect_files import load_dialects
from evenhand.engine.metrics import BERTSCORE, METRICS, REWARD
from evenhand.engine.settings import FORCED_CHOICE, LOGPROBS, TEXT
from evenhand.prompting.methods import METHODS
from judging.forms.prompts import AttributeField
from judging.models import Attribute, Dataset, Judge, Prompt
from judging.services.plans.generation_settings import MOST_THINKING_TOKENS, choose_thinking
from judging.web.form_fields import shown_when

LOCAL = shown_when("backend", [Judge.Backend.TRANSFORMERS, Judge.Backend.METRIC])
AT_ENDPOINT = shown_when("backend", [Judge.Backend.OPENAI])


class JudgeForm(forms.Form):
    """A local model, an endpoint or a metric. Empty fields have the defaults of the table."""

    name = forms.CharField(max_length=200, help_text="As it appears in lists and tables.")
    backend = forms.ChoiceField(
        label="Type",
        choices=[
            (Judge.Backend.TRANSFORMERS, "a language model that runs here"),
            (Judge.Backend.OPENAI, "an OpenAI-compatible endpoint"),
            (Judge.Backend.METRIC, "a metric, computed for each text"),
        ],
        widget=forms.RadioSelect(attrs={"class": "lines"}),
        initial=Judge.Backend.TRANSFORMERS,
    )
    model = forms.CharField(
        max_length=500,
        help_text="A hub id such as google/flan-t5-base, a folder on the workers' machine, or the model name at "
        f"the endpoint. For a metric: {', '.join(name for name in METRICS if name not in (BERTSCORE, REWARD))}, "
        f"or with a model: {BERTSCORE}:roberta-large, {REWARD}: and a reward model.",
    )
    base_url = forms.CharField(
        label="Address of the endpoint",
        max_length=500,
        required=False,
        widget=forms.TextInput(attrs=AT_ENDPOINT),
        help_text="For example http://localhost:8000/v1. An administrator lists the allowed hosts in ENDPOINT_HOSTS.",
    )
    api_key_env = forms.CharField(
        label="Variable of the API key",
        max_length=200,
        required=False,
        widget=forms.TextInput(attrs=AT_ENDPOINT),
        help_text="Name of the workers' environment variable that holds the key; it ends in _API_KEY. Never the key.",
    )
    dialect = forms.ChoiceField(
        label="Dialect",
        choices=[("", "recognise it"), *((one.name, one.title) for one in load_dialects().values())],
        required=False,
        widget=forms.Select(attrs=AT_ENDPOINT),
        help_text="The names of the endpoint's request fields.",
    )
    ask_by = forms.ChoiceField(
        label="Ask by",
        choices=[
            ("", "what suits it, found by a small question"),
            (FORCED_CHOICE, "a forced choice: it may write label words only"),
            (LOGPROBS, "the probabilities of label words in a free reply"),
            (TEXT, "the text of a free reply"),
        ],
        required=False,
        widget=forms.Select(attrs=AT_ENDPOINT),
        help_text="How the endpoint is asked for a label word. With a forced choice it cannot refuse or comment.",
    )
    price_input = forms.FloatField(
        label="Price per million input tokens", required=False, widget=forms.NumberInput(attrs=AT_ENDPOINT)
    )
    price_output = forms.FloatField(
        label="Price per million output tokens",
        required=False,
        widget=forms.NumberInput(attrs=AT_ENDPOINT),
        help_text="In the same currency.",
    )
    revision = forms.CharField(
        max_length=200,
        required=False,
        widget=forms.TextInput(attrs=LOCAL),
        help_text="Commit, tag or branch of a hub model. Empty for the newest, and for metrics without a model.",
    )
    dtype = forms.ChoiceField(
        label="Precision",
        choices=[(name, name) for name in Judge.Dtype.values],
        required=False,
        widget=forms.Select(attrs=LOCAL),
        help_text="On a GPU, bfloat16 is several times as fast as float32.",
    )
    device = forms.CharField(
        max_length=20,
        initial="auto",
        required=False,
        widget=forms.TextInput(attrs=LOCAL),
        help_text="cpu, cuda, cuda:1 (or another number) or auto.",
    )

    def settings(self) -> dict[str, Any]:
        """Return the filled fields."""
        return {name: value for name, value in self.cleaned_data.items() if value not in ("", None, False)}


class JudgeTrialForm(forms.Form):
    """One pair of a dataset, and how a judge is asked about it."""

    attribute = AttributeField(Attribute.objects.none(), label="Dataset and attribute", empty_label=None)
    context = forms.CharField(
        max_length=500,
        required=False,
        help_text="Key of the context whose first two candidates are shown (empty: the first context).",
    )
    prompt = forms.ModelChoiceField(Prompt.objects.none(), empty_label=None)
    thinking = forms.BooleanField(label="Let it think first", required=False)
    thinking_tokens = forms.IntegerField(
        label="Most tokens of thinking", required=False, min_value=1, max_value=MOST_THINKING_TOKENS
    )
    reasoning_effort = forms.CharField(
        label="Effort of thinking", required=False, max_length=50, help_text="Such as low (empty: the model’s own)."
    )

    def __init__(self, datasets: QuerySet[Dataset], *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - Django's signature
        super().__init__(*args, **kwargs)
        attributes = Attribute.objects.filter(dataset__in=datasets).select_related("dataset")
        self.fields["attribute"].queryset = attributes.order_by("dataset__name", "position")  # type: ignore[attr-defined]
        of_pairs = [name for name, method in METHODS.items() if not method.is_scoring]
        self.fields["prompt"].queryset = Prompt.objects.newest().filter(method__in=of_pairs)  # type: ignore[attr-defined]

    def chosen_thinking(self) -> Thinking | None:
        """Return the settings of the thinking of a valid form; None without thinking."""
        chosen = self.cleaned_data
        if not chosen["thinking"]:
            return None
        return choose_thinking("on", tokens=chosen["thinking_tokens"], effort=chosen["reasoning_effort"])
