"""The form of the page of anchors. Its choices are query parameters."""

from __future__ import annotations

from django import forms

from evenhand.numerics import DEFAULT_RANKING, RANKING_TITLES
from rankings.anchors.anchor_report import AnchorChoice
from rankings.report.forms import LeftOutForm
from rankings.report.report_choice import ReportChoice


class AnchorForm(LeftOutForm):
    """The ranking, and what is left out."""

    ranking = forms.ChoiceField(required=False, choices=list(RANKING_TITLES.items()))
    field_order = ("ranking",)

    @property
    def choice(self) -> AnchorChoice:
        """Return the choice of the report; the usual ranking where the form has none."""
        self.is_valid()
        return AnchorChoice(self.cleaned_data.get("ranking") or DEFAULT_RANKING, ReportChoice(exclusion=self.exclusion))
