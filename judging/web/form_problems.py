"""What a service refuses, beside the fields of the form that it is about."""

from __future__ import annotations

from collections.abc import Iterable

from django.forms import Form


def put_beside_fields(form: Form, problems: Iterable[str]) -> None:
    """A problem that begins with the name of a field, or of several, stands beside the first, others above the form."""
    for problem in problems:
        names, _, reason = problem.partition(": ")
        field = next((name for name in names.split(", ") if name in form.fields), None)
        form.add_error(field, reason if field else problem)
