"""Fields of forms: where refusals appear, and fields that only some choices need."""

from __future__ import annotations

from collections.abc import Iterable

from django.forms import Form


def add_problems_to_fields(form: Form, problems: Iterable[str]) -> None:
    """Show each problem at the first field that it names. Others appear above the form.

    problems: "field: reason" or "field, other field: reason".
    """
    for problem in problems:
        names, _, reason = problem.partition(": ")
        field = next((name for name in names.split(", ") if name in form.fields), None)
        form.add_error(field, reason if field else problem)


def shown_when(field: str, values: Iterable[str]) -> dict[str, str]:
    """Return widget attributes that show a field only while another has one of these values.

    static/js/conditional_fields.js reads them. Without JavaScript the field is always shown.
    """
    return {"data-shown-when": field, "data-shown-for": " ".join(values)}
