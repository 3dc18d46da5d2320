"""Fields that a new run and the plan of a study share: sampling, thinking, criteria and exclusions."""

from __future__ import annotations

from typing import Any

from django import forms
from django.forms import BoundField

from evenhand.engine.questions.thinking import THINKING_TOKENS
from evenhand.prompting.methods import METHODS, method_names
from judging.services.execution.criteria import criteria_prompts
from judging.services.plans.generation_settings import MOST_SAMPLES, MOST_THINKING_TOKENS
from judging.services.runs.run_settings import SETTING_FIELDS
from judging.web.form_fields import LinesField, shown_when

THINKING_FIELDS = ("thinking_tokens", "reasoning_effort", "cut_thinking")


class RunSettingsForm(forms.Form):
    """Settings of one run, or of all runs of a plan."""

    samples = forms.IntegerField(
        label="Samples per answer",
        required=False,
        min_value=1,
        max_value=MOST_SAMPLES,
        help_text="Number of short texts sampled for each answer (empty: read the probabilities). The answer is the "
        "share of texts that name the first candidate, or their mean score. For endpoints without probabilities.",
    )
    temperature = forms.FloatField(
        required=False,
        min_value=0,
        widget=forms.NumberInput(attrs={"step": "any"}),
        help_text="Sampling temperature of all generated text, thinking included (empty: 0, greedy). "
        "Samples per answer need one above 0.",
    )
    thinking = forms.ChoiceField(
        label="Thinking",
        required=False,
        choices=[("off", "off: the judge answers at once"), ("on", "on: the judge thinks before it answers")],
        widget=forms.RadioSelect(attrs={"class": "lines"}),
        initial="off",
        help_text="For models with a thinking block, and for endpoints with such models.",
    )
    thinking_tokens = forms.IntegerField(
        label="Most tokens of thinking",
        required=False,
        min_value=1,
        max_value=MOST_THINKING_TOKENS,
        widget=forms.NumberInput(attrs=shown_when("thinking", ["on"])),
        help_text=f"Limit; a local model stops thinking there and answers (empty: {THINKING_TOKENS:,}).",
    )
    reasoning_effort = forms.CharField(
        label="Effort of thinking",
        required=False,
        max_length=50,
        widget=forms.TextInput(attrs=shown_when("thinking", ["on"])),
        help_text="Such as low, medium or high (empty: the model’s own).",
    )
    cut_thinking = forms.ChoiceField(
        label="Answers after cut or empty thinking",
        required=False,
        choices=[("", "are read and counted"), ("unparsed", "are unparsed")],
        widget=forms.Select(attrs=shown_when("thinking", ["on"])),
    )
    metrics = forms.ChoiceField(
        label="Self-generated criteria",
        required=False,
        help_text="The judge first writes up to three questions about each context. Every prompt about that context "
        "then shows them. Your own prompts are offered too. Not for "
        f"{method_names(method for method in METHODS.values() if not method.takes_criteria)}.",
    )
    without_system = LinesField(
        label="Systems left out", help_text="One a line. Their candidates are not judged (empty: none)."
    )
    without_context = LinesField(label="Contexts left out", help_text="Identifiers, one a line (empty: none).")

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - Django's signature
        super().__init__(*args, **kwargs)
        names = [prompt.label for prompt in criteria_prompts().newest()]
        choices = [("", "none"), *((name, name) for name in names)]
        self.fields["metrics"].choices = choices  # type: ignore[attr-defined]

    @property
    def setting_fields(self) -> list[BoundField]:
        """Return the fields of the settings."""
        return [field for field in self.visible_fields() if field.name in SETTING_FIELDS]

    def clean_thinking(self) -> str:
        return self.cleaned_data["thinking"] or "off"

    def setting_names(self) -> dict[str, Any]:
        """Return the settings of a valid form by name, without empty ones and those of hidden fields."""
        hidden = THINKING_FIELDS if self.cleaned_data["thinking"] == "off" else ()
        chosen = {name: self.cleaned_data[name] for name in SETTING_FIELDS if name not in hidden}
        return {name: value for name, value in chosen.items() if value and value != "off"}
