"""The form of a dataset's results page. Its choices are query parameters."""

from __future__ import annotations

from typing import Any

from django import forms

from rankings.numerics import DEFAULT_RANKING, RANKING_TITLES


class DatasetResultsForm(forms.Form):
    """The attribute whose runs are listed, and the ranking whose correlations are shown."""

    attribute = forms.ChoiceField(required=False)
    ranking = forms.ChoiceField(required=False, choices=list(RANKING_TITLES.items()))

    def __init__(self, *args: Any, attributes: list[str], **kwargs: Any) -> None:  # noqa: ANN401 - Django's signature
        super().__init__(*args, **kwargs)
        self.fields["attribute"].choices = [("", "all"), *((name, name) for name in attributes)]  # type: ignore[attr-defined]

    def chosen(self) -> dict[str, Any]:
        self.is_valid()
        return {
            "attribute": self.cleaned_data.get("attribute", ""),
            "ranking": self.cleaned_data.get("ranking") or DEFAULT_RANKING,
        }
