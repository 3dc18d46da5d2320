"""The form of the page of agreement. Its choice is a query parameter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms

from judging.models import Attribute


class AttributeForm(forms.Form):
    """One attribute of the dataset."""

    attribute = forms.ChoiceField(required=False)

    def __init__(self, *args: Any, attributes: Sequence[Attribute], **kwargs: Any) -> None:  # noqa: ANN401 - Django's signature
        super().__init__(*args, **kwargs)
        self.attributes = {attribute.name: attribute for attribute in attributes}
        self.fields["attribute"].choices = [(name, name) for name in self.attributes]  # type: ignore[attr-defined]

    def chosen(self) -> Attribute | None:
        """Return the attribute; the first where the address names none or an unknown one; None where there is none."""
        self.is_valid()
        name = self.cleaned_data.get("attribute") or next(iter(self.attributes), "")
        return self.attributes.get(name)
