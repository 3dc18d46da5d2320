"""Forms of an operation or of filters, made from options."""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any

from django import forms
from django.http import HttpRequest, QueryDict

from evenhand.options import Option, options_of, read_options
from evenhand.refusals import Refused
from judging.web.form_fields import FilterForm, add_problems_to_fields
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
        self.fields |= option_fields(self.options, with_help=True)

    def values(self) -> dict[str, Any]:
        """Return the value of each option that the form has a field for. Raises Refused with every problem."""
        sent = values_sent(self.sent or QueryDict())
        return read_options([one for one in self.options if one.name in self.fields], sent)


class OptionFilters(FilterForm):
    """Filters of a list. A value that does not fit is left out, and its field shows why. folded: names of fields."""

    folded: Sequence[str] = ()

    def __init__(self, data: QueryDict, options: Iterable[Option]) -> None:
        super().__init__(data)
        self.options, self.sent = tuple(options), values_sent(data)
        self.fields |= option_fields(self.options)

    @cached_property
    def chosen(self) -> dict[str, Any]:
        """The values that fit, and the defaults of the others."""
        values: dict[str, Any] = {}
        for option in self.options:
            try:
                values |= read_options([option], {option.name: self.sent.get(option.name)})
            except Refused as refused:
                add_problems_to_fields(self, refused.problems)
                values[option.name] = option.default
        return values

    @property
    def more_fields(self) -> list[forms.BoundField]:
        """Return the fields that the page folds."""
        return [self[name] for name in self.folded]

    @property
    def uses_more_fields(self) -> bool:
        """True if a folded field has a value or an error."""
        return any(self.sent.get(name) or name in self.errors for name in self.folded)
