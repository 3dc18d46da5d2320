"""Shared by forms: filters, chosen rows, where refusals appear, fields that only some choices need, lists of names."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db.models import Count, F, QuerySet, Window
from django.forms import CharField, DateTimeInput, Form, ModelMultipleChoiceField, Textarea
from django.http import HttpRequest

from evenhand.refusals import Refused
from judging.services.names import Named


class DeadlineInput(DateTimeInput):
    """A date and time, as browsers send them."""

    input_type = "datetime-local"

    def __init__(self) -> None:
        super().__init__(format="%Y-%m-%dT%H:%M")


MOST_ID_DIGITS = 18  # every database takes them


def is_id(text: str) -> bool:
    """Return True for a number that may be the id of a row."""
    return text.isascii() and text.isdigit() and len(text) <= MOST_ID_DIGITS


class RowsField(ModelMultipleChoiceField):
    """Rows chosen by their ids. One that is none is refused before the database sees it."""

    def clean(self, value: Any) -> Any:  # noqa: ANN401 - Django's signature
        for one in value or ():
            if not is_id(str(one)):
                raise ValidationError(self.error_messages["invalid_pk_value"], "invalid_pk_value", {"pk": one})
        return super().clean(value)


def offer_named(field: Any, rows: "QuerySet[Named]") -> None:  # noqa: ANN401 - a field of one row or several
    """Offer rows by their names, with the number where two have one name."""
    field.queryset = rows.annotate(of_its_name=Window(Count("pk"), partition_by=[F("name")]))
    field.label_from_instance = lambda row: f"{row.name}#{row.pk}" if row.of_its_name > 1 else row.name


class FilterForm(Form):
    """Filters of a list."""

    def active_filters(self) -> dict[str, Any]:
        """Return the filters with a value. An invalid filter is left out, and its field shows the error."""
        self.is_valid()
        return {name: value for name, value in self.cleaned_data.items() if value}


def add_problems_to_fields(form: Form, problems: Iterable[str]) -> None:
    """Show each problem at the first field that it names. Others appear above the form.

    problems: "field: reason" or "field, other_field: reason". A field may be named with spaces: "other field".
    """
    for problem in problems:
        names, _, reason = problem.partition(": ")
        fields = [name.replace(" ", "_") for name in names.split(", ")]
        field = next((name for name in fields if name in form.fields), None)
        form.add_error(field, reason if field else problem)


@contextmanager
def showing_refusals(form: Form) -> Iterator[None]:
    """Show the problems of a refusal inside, each at its field."""
    try:
        yield
    except Refused as refused:
        add_problems_to_fields(form, refused.problems)


@contextmanager
def telling_refusals(request: HttpRequest) -> Iterator[None]:
    """Turn a refusal inside into messages of the next page."""
    try:
        yield
    except Refused as refused:
        for problem in refused.problems:
            messages.error(request, problem)


def shown_when(field: str, values: Iterable[str]) -> dict[str, str]:
    """Return widget attributes that show a field only while another has one of these values.

    static/js/conditional_fields.js reads them. Without JavaScript the field is always shown.
    """
    return {"data-shown-when": field, "data-shown-for": " ".join(values)}


class LinesField(CharField):
    """Names, one a line. Its value is a list without empty lines."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 - the field's own
        super().__init__(required=False, widget=Textarea(attrs={"rows": 2}), **options)

    def clean(self, value: Any) -> list[str]:  # noqa: ANN401 - as the browser sent it
        return [line.strip() for line in super().clean(value).splitlines() if line.strip()]
