"""The forms that add a judge, and ask one about a pair."""

from dataclasses import replace
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import QueryDict

from evenhand.options import read_options
from evenhand.prompting.methods import METHODS
from judging.forms.prompts import AttributeField
from judging.models import Attribute, Dataset, Judge, Prompt
from judging.services.judges.judge_setup import ENDPOINT_ONLY, JUDGE_OPTIONS, LOCAL_ONLY
from judging.services.runs.judge_trial import TRIAL_OPTIONS, trial_settings
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
    """One pair of a dataset, and how a judge is asked about it. `trial_settings` refuses."""

    attribute = AttributeField(Attribute.objects.none(), label="Dataset and attribute", empty_label=None)

    def __init__(self, datasets: QuerySet[Dataset], *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - Django's signature
        super().__init__(*args, **kwargs)
        attributes = Attribute.objects.filter(dataset__in=datasets).select_related("dataset")
        self.fields["attribute"].queryset = attributes.order_by("dataset__name", "position")  # type: ignore[attr-defined]
        of_pairs = [name for name, method in METHODS.items() if not method.is_scoring]
        prompts = {one.name: one.label for one in Prompt.objects.newest().filter(method__in=of_pairs)}
        options = [replace(one, choices=prompts) if one.name == "prompt" else one for one in TRIAL_OPTIONS]
        self.fields |= option_fields(options, with_help=True)

    def settings(self) -> dict[str, Any]:
        """Return the prompt, context and thinking of a valid form. Raises Refused."""
        return trial_settings(
            read_options(TRIAL_OPTIONS, {one.name: self.cleaned_data[one.name] for one in TRIAL_OPTIONS})
        )
