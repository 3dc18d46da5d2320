"""The field of a form that chooses the attributes of a campaign, their order and their questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict

from judging.models import Attribute
from judging.services.campaigns.asked_attributes import LONGEST_QUESTION

MOST_ORDER = 1_000


@dataclass(frozen=True, slots=True)
class PostedAttribute:
    """One line of the field, as the browser sent it."""

    is_chosen: bool = False
    order: str = ""
    question: str = ""


@dataclass(frozen=True, slots=True)
class ChosenAttributes:
    """The chosen attributes in the order asked. questions: name of an attribute -> its own question."""

    attributes: Sequence[Attribute]
    questions: Mapping[str, str]


class AttributesWidget(forms.Widget):
    """A table: a line for each attribute, with a box, its place in the order and its own question."""

    template_name = "judging/campaigns/_attributes_widget.html"
    use_fieldset = True

    def __init__(self) -> None:
        super().__init__()
        self.attributes: Sequence[Attribute] = ()

    def value_from_datadict(
        self, data: Mapping[str, Any], files: MultiValueDict[str, Any], name: str
    ) -> dict[int, PostedAttribute]:
        """Return id of an attribute -> its line."""
        chosen = data.getlist(name) if isinstance(data, QueryDict) else data.get(name, ())
        return {
            one.pk: PostedAttribute(
                str(one.pk) in map(str, chosen),
                str(data.get(f"{name}_order_{one.pk}", "")).strip(),
                str(data.get(f"{name}_question_{one.pk}", "")).strip(),
            )
            for one in self.attributes
        }

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:  # noqa: ANN401
        context = super().get_context(name, value, attrs)
        context["lines"] = [(one, (value or {}).get(one.pk, PostedAttribute())) for one in self.attributes]
        context["longest_question"] = LONGEST_QUESTION
        context["is_invalid"] = "aria-invalid" in context["widget"]["attrs"]
        return context

    def value_omitted_from_data(self, data: Mapping[str, Any], files: MultiValueDict[str, Any], name: str) -> bool:
        return False  # a browser sends nothing for boxes that are not ticked

    def id_for_label(self, id_: str) -> str:
        return ""  # the legend of the fieldset names the table


class AttributesField(forms.Field):
    """The attributes of a campaign. Its value is a ChosenAttributes. The first attribute is chosen at first."""

    widget = AttributesWidget

    def offer(self, attributes: Sequence[Attribute]) -> None:
        """Offer the attributes of a dataset."""
        self.attributes = self.widget.attributes = attributes
        self.initial = {one.pk: PostedAttribute(is_chosen=True) for one in attributes[:1]}

    def clean(self, value: dict[int, PostedAttribute]) -> ChosenAttributes:
        chosen = [one for one in self.attributes if value[one.pk].is_chosen]
        if problems := list(_problems(chosen, value)):
            raise ValidationError(problems)
        ordered = sorted(chosen, key=lambda one: int(value[one.pk].order or MOST_ORDER + 1))
        return ChosenAttributes(ordered, {one.name: value[one.pk].question for one in ordered})


def _problems(chosen: Sequence[Attribute], lines: Mapping[int, PostedAttribute]) -> Iterator[str]:
    if not chosen:
        yield "Choose one attribute or more."
    orders = [lines[one.pk].order for one in chosen if lines[one.pk].order]
    for order, number in Counter(orders).items():
        if not (order.isdecimal() and 1 <= int(order) <= MOST_ORDER):
            yield f"Order: “{order}” — give a whole number from 1 to {MOST_ORDER:,}."
        elif number > 1:
            yield f"Order: {number} attributes have the number {order}. Give each its own."
    for one in chosen:
        if len(lines[one.pk].question) > LONGEST_QUESTION:
            yield f"The question on {one.name} is too long: write at most {LONGEST_QUESTION} characters."
