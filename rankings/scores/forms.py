"""The form of the page of scores. Its choices are query parameters."""

from __future__ import annotations

from typing import Any

from django import forms

from evenhand.numerics import RANKING_TITLES
from rankings.report.forms import LeftOutForm


class RankingForm(LeftOutForm):
    """One ranking: raw, debiased, or of the mean of both orders; and what is left out."""

    ranking = forms.ChoiceField(required=False, choices=list(RANKING_TITLES.items()))
    debias = forms.BooleanField(label="debiased", required=False)
    average_orders = forms.BooleanField(label="orders averaged", required=False)

    def __init__(self, *args: Any, is_scoring: bool, **kwargs: Any) -> None:  # noqa: ANN401 - Django's signature
        super().__init__(*args, **kwargs)
        if is_scoring:
            self.fields["ranking"].choices = [("score", "score")]  # type: ignore[attr-defined]
            del self.fields["debias"], self.fields["average_orders"]

    def chosen(self) -> dict[str, Any]:
        """Return the arguments of `scores_of`. Without a valid ranking, the first. `average_orders` beats `debias`."""
        self.is_valid()
        first = self.fields["ranking"].choices[0][0]  # type: ignore[attr-defined]
        return {
            "ranking": self.cleaned_data.get("ranking") or first,
            "debias": self.cleaned_data.get("debias", False) and not self.cleaned_data.get("average_orders"),
            "average_orders": self.cleaned_data.get("average_orders", False),
            "exclusion": self.exclusion,
        }
