"""The form that adds a judge."""

from django import forms
from django.http import QueryDict

from judging.models import Judge
from judging.services.judges.judge_setup import ENDPOINT_ONLY, JUDGE_OPTIONS, LOCAL_ONLY
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
