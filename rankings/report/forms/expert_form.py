"""The field of pages for experts that a person writes as expressions."""

from __future__ import annotations

from django import forms
from django.core.exceptions import ValidationError

from evenhand.numerics import ExpertExpression
from evenhand.refusals import Refused
from rankings.report.report_choice import MOST_EXPERTS, parse_experts


class ExpertForm(forms.Form):
    """Experts, one a line. Several in an address are lines of the field."""

    expert = forms.CharField(
        label="Experts of your own",
        required=False,
        widget=forms.Textarea(attrs={"rows": 2, "placeholder": "laplace=-abs(d - (p - 0.5))"}),
        help_text="One a line: NAME=EXPRESSION, the log-density of the difference d of two scores, given p.",
    )

    def clean_expert(self) -> tuple[ExpertExpression, ...]:
        lines = [line for line in self.cleaned_data["expert"].splitlines() if line.strip()]
        if len(lines) > MOST_EXPERTS:
            raise ValidationError(f"{len(lines)} experts — a page takes at most {MOST_EXPERTS}; the command takes more")
        try:
            return parse_experts(lines)
        except Refused as refused:
            raise ValidationError(list(refused.problems)) from refused

    @property
    def experts(self) -> tuple[ExpertExpression, ...]:
        """Return the experts of a validated form; none if one is wrong."""
        return self.cleaned_data.get("expert") or ()
