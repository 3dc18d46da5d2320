"""Fields that a new run and the plan of a study share: sampling, thinking, criteria and exclusions."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.forms import BoundField

from evenhand.options import Option, read_options
from evenhand.refusals import Refused
from judging.services.execution.criteria import criteria_prompts
from judging.services.runs.run_settings import SETTING_FIELDS, SETTING_OPTIONS
from judging.web.form_fields import add_problems_to_fields, shown_when
from judging.web.options import OfferedChoice, option_fields

THINKING_FIELDS = ("thinking_tokens", "reasoning_effort", "cut_thinking")


class RunSettingsForm(forms.Form):
    """Settings of one run, or of all runs of a plan. The options are read and refused as at every door."""

    options: Iterable[Option] = SETTING_OPTIONS

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - Django's signature
        super().__init__(*args, **kwargs)
        fields = option_fields(self.options)
        for option in self.options:
            fields[option.name].help_text = "" if option.name == "cut_thinking" else option.help
        names = [("", "none"), *((prompt.label, prompt.label) for prompt in criteria_prompts().newest())]
        self.offer(fields, "metrics", OfferedChoice(choices=names, required=False))
        thinking = fields["thinking"]
        thinking.widget = forms.RadioSelect(attrs={"class": "lines"}, choices=thinking.choices)  # type: ignore[attr-defined]
        for name in THINKING_FIELDS:
            fields[name].widget.attrs |= shown_when("thinking", ["on"])
        self.fields |= fields
        self.order_fields(self.field_order)

    @staticmethod
    def offer(fields: dict[str, forms.Field], name: str, field: forms.Field) -> None:
        """Put a field with choices of its own in the place of an option's."""
        field.label, field.help_text = fields[name].label, fields[name].help_text
        fields[name] = field

    def clean(self) -> dict[str, Any]:
        """Read the options. Those of thinking that is off are hidden, and count as empty."""
        sent = {option.name: self.cleaned_data.get(option.name) for option in self.options} | self.unknown_fields()
        hidden = THINKING_FIELDS if sent["thinking"] != "on" else ()
        try:
            read = read_options(self.options, sent | dict.fromkeys(hidden))
        except Refused as refused:
            add_problems_to_fields(self, refused.problems)
            return self.cleaned_data
        return self.cleaned_data | read

    def unknown_fields(self) -> dict[str, Any]:
        """Return what was sent and is no field."""
        return {}

    @property
    def setting_fields(self) -> list[BoundField]:
        """Return the fields of the settings."""
        return [field for field in self.visible_fields() if field.name in SETTING_FIELDS]

    def setting_names(self) -> dict[str, Any]:
        """Return the settings of a valid form by name, without empty ones."""
        chosen = {name: self.cleaned_data[name] for name in SETTING_FIELDS}
        named = {name: value for name, value in chosen.items() if value and value != "off"}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in named.items()}
