"""Lists of choices whose rare ones are folded away."""

from typing import Any

from django.forms import CheckboxSelectMultiple, RadioSelect
from django.forms.widgets import ChoiceWidget


class FoldedChoices(ChoiceWidget):
    """A list of choices that shows the first groups and folds the others. It opens if one of the others is chosen.

    A choice without a group is a group of its own.
    """

    template_name = "judging/_folded_choices.html"

    def __init__(self, *, shown: int, more: str, **options: Any) -> None:  # noqa: ANN401 - the widget's own
        """shown: number of groups that are not folded. more: the words to unfold the others."""
        super().__init__(**options)
        self.shown, self.more = shown, more

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:  # noqa: ANN401
        context = super().get_context(name, value, attrs)
        groups = context["widget"]["optgroups"]
        folded = groups[self.shown :]
        opened = any(option["selected"] for _, options, _ in folded for option in options)
        context["widget"] |= {"groups": groups[: self.shown], "folded": folded, "opened": opened, "more": self.more}
        return context


class FoldedCheckboxes(FoldedChoices, CheckboxSelectMultiple):
    """Checkboxes. Any number may be chosen."""

    template_name = FoldedChoices.template_name


class FoldedRadios(FoldedChoices, RadioSelect):
    """Radio buttons. One may be chosen."""

    template_name = FoldedChoices.template_name
