"""The form that adds a judge."""

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import QueryDict

from evenhand.engine import Thinking
from evenhand.prompting.methods import METHODS
from judging.forms.prompts import AttributeField
from judging.models import Attribute, Dataset, Judge, Prompt
from judging.services.judges.judge_setup import ENDPOINT_ONLY, JUDGE_OPTIONS, LOCAL_ONLY
from judging.services.plans.generation_settings import MOST_THINKING_TOKENS, choose_thinking
from judging.web.form_fields import shown_when
from judging.web.options import option_fields, values_sent

SHOWN_AT = {
    **dict.fromkeys(LOCAL_ONLY, shown_when("backend", [Judge.Backend.TRANSFORMERS, Judge.Backend.METRIC])),
    **dict.fromkeys(ENDPOINT_ONLY, shown_when("backend", [Judge.Backend.OPENAI])),
}


class JudgeForm(forms.Form):
    """A local model, an endpoint or a metric. `add_judge` refuses; the form offers and shows."""

    def __init__(self, data: QueryDict | None) -> None:
        super().__init__(data, initial={"backend": Judge.Backend.TRANSFORMERS})
        self.sent = values_sent(data or QueryDict())
        self.fields |= option_fields(JUDGE_OPTIONS)
        backend = self.fields["backend"]
        backend.widget = forms.RadioSelect(attrs={"class": "lines"}, choices=backend.choices)  # type: ignore[attr-defined]
        for option in JUDGE_OPTIONS:
            self.fields[option.name].help_text = "" if option.name == "backend" else option.help
            self.fields[option.name].widget.attrs |= SHOWN_AT.get(option.name, {})


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
