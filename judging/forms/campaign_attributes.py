"""The field of a form that chooses the attributes of a campaign, their order and their questions."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict

from evenhand.refusals import Refused
from judging.models import Attribute
from judging.services.campaigns.asked_attributes import LONGEST_QUESTION

MOST_ORDER = 1_000


@dataclass(frozen=True, slots=True)
class PostedAttribute:
    """One line of the field, as the browser sent it."""

    is_chosen: bool = False
    order: str = ""
    question: str = ""


class AttributesWidget(forms.Widget):
    """A table: a line for each attribute, with a box, its place in the order and its own question."""

    template_name = "judging/campaigns/_attributes_widget.html"
    use_fieldset = True

    def __init__(self) -> None:
        super().__init__()
        self.attributes: Sequence[Attribute] = ()

    def value_from_datadict(
        self, data: Mapping[str, Any], files: MultiValueDict[str, Any], name: str
    ) -> dict[str, PostedAttribute]:
        """Return name of an attribute -> its line."""
        chosen = data.getlist(name) if isinstance(data, QueryDict) else data.get(name, ())
        return {
            one.name: PostedAttribute(
                one.name in chosen,
                str(data.get(f"{name}_order_{one.name}", "")).strip(),
                str(data.get(f"{name}_question_{one.name}", "")).strip(),
            )
            for one in self.attributes
        }

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:  # noqa: ANN401
        context = super().get_context(name, value, attrs)
        context["lines"] = [(one, (value or {}).get(one.name, PostedAttribute())) for one in self.attributes]
        context["longest_question"] = LONGEST_QUESTION
        context["is_invalid"] = "aria-invalid" in context["widget"]["attrs"]
        return context

    def value_omitted_from_data(self, data: Mapping[str, Any], files: MultiValueDict[str, Any], name: str) -> bool:
        return False  # a browser sends nothing for boxes that are not ticked

    def id_for_label(self, id_: str) -> str:
        return ""  # the legend of the fieldset names the table


class AttributesField(forms.Field):
    """The attributes of a campaign, their order and questions. The first attribute is chosen at first."""

    widget = AttributesWidget

    def __init__(self, attributes: Sequence[Attribute]) -> None:
        super().__init__(required=False)
        self.widget.attributes = attributes
        self.initial = {one.name: PostedAttribute(is_chosen=True) for one in attributes[:1]}


def chosen_attributes(lines: Mapping[str, PostedAttribute]) -> dict[str, Any]:
    """Return the options that the lines say: attributes in their order, and questions. Raises Refused for an order."""
    chosen = {name: line for name, line in lines.items() if line.is_chosen}
    if problems := list(_order_problems(chosen)):
        raise Refused(*problems)
    ordered = sorted(chosen, key=lambda name: int(chosen[name].order or MOST_ORDER + 1))
    return {"attributes": ordered, "questions": {name: chosen[name].question for name in ordered}}


def _order_problems(chosen: Mapping[str, PostedAttribute]) -> Iterator[str]:
    for order, number in Counter(line.order for line in chosen.values() if line.order).items():
        if not (order.isdecimal() and 1 <= int(order) <= MOST_ORDER):
            yield f"attributes: Order: “{order}” — give a whole number from 1 to {MOST_ORDER:,}."
        elif number > 1:
            yield f"attributes: Order: {number} attributes have the number {order}. Give each its own."
