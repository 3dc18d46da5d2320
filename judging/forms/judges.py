"""The form that adds a judge."""

from __future__ import annotations

from django import forms

from judging.engine.metrics import BERTSCORE, METRICS
from judging.models import Judge


class JudgeForm(forms.Form):
    """A local model or a metric.

    Endpoints are added on the command line, by the person who sets the variables with their keys.
    """

    name = forms.CharField(max_length=200, help_text="As it appears in lists and tables.")
    backend = forms.ChoiceField(
        label="Type",
        choices=[
            (Judge.Backend.TRANSFORMERS, "a language model, asked by prompts"),
            (Judge.Backend.METRIC, "a metric, computed for each text"),
        ],
        widget=forms.RadioSelect(attrs={"class": "lines"}),
        initial=Judge.Backend.TRANSFORMERS,
    )
    model = forms.CharField(
        max_length=500,
        help_text="A hub id such as google/flan-t5-base, or a folder on the workers' machine. For a metric: "
        f"{', '.join(name for name in METRICS if name != BERTSCORE)}, or {BERTSCORE} with its model, as in "
        f"{BERTSCORE}:roberta-large.",
    )
    revision = forms.CharField(
        max_length=200,
        required=False,
        help_text="Commit, tag or branch of a hub model. Empty for the newest, and for metrics without a model.",
    )
    dtype = forms.ChoiceField(
        label="Precision",
        choices=[(name, name) for name in Judge.Dtype.values],
        help_text="On a GPU, bfloat16 is several times as fast as float32.",
    )
    device = forms.CharField(max_length=20, initial="auto", help_text="cpu, cuda, cuda:1 (or another number) or auto.")
