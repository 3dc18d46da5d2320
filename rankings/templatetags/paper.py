"""`{% choices_on_paper form %}`: a line that names the choices of a page, on paper only."""

from collections.abc import Iterable, Iterator, Sequence

from django import template
from django.forms import (
    BoundField,
    CheckboxInput,
    ChoiceField,
    Form,
    HiddenInput,
    ModelMultipleChoiceField,
    MultipleChoiceField,
)

MOST_NAMES = 5
"""Up to this many chosen names are printed; of more, only their number."""


def printed_choices(forms: Iterable[Form]) -> list[str]:
    """Return the choices that hold on a page: "Figure: Accuracy", "Order: both orders". Empty fields are left out."""
    fields = [field for form in forms for field in _shown_fields(form)]
    texts = dict.fromkeys(
        (field.label, _text(field)) for field in fields if not isinstance(field.field.widget, HiddenInput)
    )
    return [f"{label}: {text}" for label, text in texts if text]


def _shown_fields(form: Form) -> Iterator[BoundField]:
    """Yield the fields that the page shows, where its form names them; else all."""
    if hasattr(form, "main_fields") and hasattr(form, "more_fields"):
        yield from (*form.main_fields, *form.more_fields)
    else:
        yield from form.visible_fields()


def _text(field: BoundField) -> str:
    value = field.value()
    if isinstance(field.field.widget, CheckboxInput):
        return "yes" if value else ""
    if isinstance(field.field, MultipleChoiceField | ModelMultipleChoiceField):
        labels = _labels(field.field)
        return _names([labels[str(one)] for one in value or () if str(one) in labels])
    if isinstance(field.field, ChoiceField):
        labels = _labels(field.field)
        return labels.get(str(value or ""), next(iter(labels.values()), ""))
    lines = [line.strip() for line in str(value or "").splitlines() if line.strip()]
    return _names(lines)


def _names(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= MOST_NAMES else f"{len(names)} chosen"


def _labels(field: ChoiceField) -> dict[str, str]:
    """Return value -> label, without the groups that choices may have."""
    labels: dict[str, str] = {}
    for value, label in field.choices:  # type: ignore[misc, union-attr]  # Django makes a list of them
        pairs = label if isinstance(label, list | tuple) else [(value, label)]
        labels |= {str(one): str(text) for one, text in pairs}
    return labels


register = template.Library()


@register.inclusion_tag("rankings/_printed_choices.html")
def choices_on_paper(*forms: Form) -> dict[str, object]:
    """Name the choices of some forms. A form that the page lacks is skipped."""
    return {"choices": printed_choices(form for form in forms if isinstance(form, Form))}
