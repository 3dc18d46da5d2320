"""The form of the format and looks of a table for a paper."""

from dataclasses import asdict

from django import forms
from django.http import QueryDict

from rankings.tables.formats import TABLE_FORMATS
from rankings.tables.table import INTERVAL_STYLES, LABEL, MOST_DIGITS, TableStyle

TEXT_FORMATS = [(ending, one.title) for ending, one in TABLE_FORMATS.items() if one.is_text]


class StyleForm(forms.Form):
    """The format and looks of a table for a paper."""

    format = forms.ChoiceField(required=False, choices=TEXT_FORMATS)
    digits = forms.IntegerField(label="Decimals of percentages", required=False, min_value=0, max_value=MOST_DIGITS)
    interval = forms.ChoiceField(
        label="Intervals", required=False, choices=[(name, name.replace("-", " ")) for name in INTERVAL_STYLES]
    )
    caption = forms.CharField(required=False, max_length=1000)
    label = forms.RegexField(LABEL, label="LaTeX label", required=False, max_length=100)

    def __init__(self, data: QueryDict, *, usual: TableStyle) -> None:
        complete = data.copy()
        for name, value in ({"format": "tex"} | asdict(usual)).items():
            if name not in data:
                complete[name] = value
        super().__init__(complete)

    @property
    def style(self) -> TableStyle:
        """Return the style. A value that is no choice is ignored."""
        self.is_valid()
        digits = self.cleaned_data.get("digits")
        return TableStyle(
            digits=1 if digits is None else digits,
            interval=self.cleaned_data.get("interval") or "brackets",
            caption=self.cleaned_data.get("caption", ""),
            label=self.cleaned_data.get("label", ""),
        )

    @property
    def chosen_format(self) -> str:
        """Return the ending of the chosen format."""
        self.is_valid()
        return self.cleaned_data.get("format") or "tex"
