"""The form of the page of a context's answers. Its choices are query parameters."""

from __future__ import annotations

from django import forms

from rankings.dataset_figures.context_matrices import ROW_ORDERS, RowOrder
from rankings.report.forms import AttributeForm


class MatricesForm(AttributeForm):
    """One attribute, and the order of the candidates."""

    rows = forms.ChoiceField(label="Best first by", required=False, choices=list(ROW_ORDERS.items()))

    @property
    def chosen_rows(self) -> RowOrder:
        """Return the order of the candidates. Default: by human score."""
        self.is_valid()
        rows: RowOrder = self.cleaned_data.get("rows") or "people"
        return rows
