"""The form of an operation, made from its options."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django import forms
from django.http import HttpRequest, QueryDict

from evenhand.options import options_of, read_options
from evenhand.refusals import Refused
from judging.web.form_fields import add_problems_to_fields
from judging.web.options import option_fields, values_sent


class OptionForm(forms.Form):
    """The options of one operation or several. The operation refuses; the form offers and shows."""

    def __init__(
        self, request: HttpRequest | None, *functions: Callable[..., Any], initial: dict[str, Any] | None = None
    ) -> None:
        """request: None for an empty form."""
        self.sent = request.POST if request and request.method == "POST" else None
        super().__init__(self.sent, initial=initial)
        self.options = [option for function in functions for option in options_of(function)]
        self.fields |= option_fields(self.options)
        for option in self.options:
            self.fields[option.name].help_text = option.help

    def values(self) -> dict[str, Any]:
        """Return the value of each option that the form has a field for. Raises Refused with every problem."""
        sent = values_sent(self.sent or QueryDict())
        sent.pop("csrfmiddlewaretoken", None)
        return read_options([one for one in self.options if one.name in self.fields], sent)

    @contextmanager
    def showing_refusals(self) -> Iterator[None]:
        """Show the problems of a refusal inside, each at its field."""
        try:
            yield
        except Refused as refused:
            add_problems_to_fields(self, refused.problems)
