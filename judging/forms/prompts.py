"""What the pages of prompts ask for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django import forms

from judging.models import Attribute, Dataset, Prompt, User
from judging.prompting.methods import CRITERIA, METHODS, PROMPTED, Method, names_of
from judging.prompting.templates import PromptText

WORDING = (
    "system",
    "reasoning_template",
    "template",
    "answer_prefix",
    "label_first",
    "label_second",
    "label_tie",
    "source",
)


def applies_where(condition: Callable[[Method], bool]) -> dict[str, str]:
    """Attributes of a field that only some methods have; static/js/applies.js shows it only there."""
    names = (method.name for method in PROMPTED.values() if condition(method))
    return {"data-applies-to": "method", "data-applies-when": " ".join(names)}


WITH_LABELS = applies_where(lambda method: method.has_labels)
REASON_ONCE = names_of(method for method in METHODS.values() if method.reasons_once)
SCORE_BY_WORDS = names_of(
    method for method in METHODS.values() if method.is_scoring and method.has_labels and not method.reads_scale
)


class AsTyped(forms.CharField):
    """A text with the spaces at its ends. Lines end with a line feed, not as browsers send them."""

    def __init__(self, *, rows: int = 0, attrs: dict[str, str] | None = None, **options: Any) -> None:  # noqa: ANN401
        shown = (attrs or {}) | {"spellcheck": "false", "class": "mono"}
        widget = forms.Textarea(attrs=shown | {"rows": str(rows)}) if rows else forms.TextInput(attrs=shown)
        super().__init__(strip=False, widget=widget, required=False, **options)

    def to_python(self, value: object) -> str:
        return (super().to_python(value) or "").replace("\r\n", "\n")


class AttributeChoice(forms.ModelChoiceField):
    def label_from_instance(self, attribute: Any) -> str:  # noqa: ANN401 - Django's signature
        return f"{attribute.dataset.name}: {attribute.name}"


class ExampleForm(forms.Form):
    """Where a prompt is tried on."""

    attribute = AttributeChoice(
        Attribute.objects.none(),
        label="Show it on",
        required=False,
        empty_label=None,
        help_text="The first pair of a dataset, in the words of one of its attributes.",
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - Django's signature
        super().__init__(*args, **kwargs)
        datasets = Dataset.objects.visible_to(user)
        attributes = Attribute.objects.filter(dataset__in=datasets).select_related("dataset")
        self.fields["attribute"].queryset = attributes.order_by("dataset__name", "position")  # type: ignore[attr-defined]


class PromptForm(ExampleForm):
    """A prompt to add: a new one, or the next version of `versioned`, whose name and method it keeps."""

    name = forms.CharField(
        max_length=100, help_text="As it appears in lists, tables and commands: letters, digits, dots and hyphens."
    )
    version = forms.IntegerField(widget=forms.HiddenInput, min_value=1, initial=1)
    method = forms.ChoiceField(
        choices=[(method.name, method.title) for method in PROMPTED.values() if method.takes_own_prompts]
    )
    system = AsTyped(rows=3, label="System message", help_text="Empty for none.")
    reasoning_template = AsTyped(
        rows=10,
        attrs=applies_where(lambda method: method.reasons),
        label="First step",
        help_text="What the judge is asked to write, about each text alone, about the pair, "
        f"({REASON_ONCE}) before it is shown any text, or ({CRITERIA.name}) about the context.",
    )
    template = AsTyped(
        rows=14,
        label="Question",
        help_text=f"Of {CRITERIA.name}, the part of another prompt’s question that shows them.",
    )
    answer_prefix = AsTyped(
        attrs=WITH_LABELS,
        label="Beginning of the answer",
        help_text="Put into the judge’s mouth before the label words, such as Summary; without surrounding spaces.",
    )
    label_first = AsTyped(
        attrs=WITH_LABELS,
        label="Label word of the first text",
        help_text="With the space that parts it from what stands before. For methods that score on a scale, the lowest "
        f"score; for {SCORE_BY_WORDS}, the word that speaks for the text.",
    )
    label_second = AsTyped(
        attrs=WITH_LABELS,
        label="Label word of the second text",
        help_text="The same. For methods that score on a scale, the highest score.",
    )
    label_tie = AsTyped(
        attrs=applies_where(lambda method: method.takes_ties),
        label="Label word of a tie",
        help_text="Empty if the judge has to choose. With it, the likeliest of the three is the answer.",
    )
    source = AsTyped(rows=2, label="Where the wording comes from", help_text="For those who read your figures.")

    field_order = ("name", "method", *WORDING, "attribute")

    def __init__(self, user: User, *args: Any, versioned: Prompt | None = None, **kwargs: Any) -> None:  # noqa: ANN401
        super().__init__(user, *args, **kwargs)
        self.versioned = versioned
        if versioned:
            del self.fields["name"], self.fields["method"]
            for field in list(self.fields):
                self._settle(field, versioned.method)

    def _settle(self, field: str, method: str) -> None:
        """Of a field that only some methods have: the method is known."""
        attrs = self.fields[field].widget.attrs
        if attrs.pop("data-applies-to", None) and method not in attrs.pop("data-applies-when").split():
            del self.fields[field]

    def prompt(self) -> PromptText:
        """What was typed, of a valid form."""
        given = self.cleaned_data
        kept = {"name": self.versioned.name, "method": self.versioned.method} if self.versioned else {}
        return PromptText(**{name: given[name] for name in given if name != "attribute"} | kept)


def initial_of(prompt: Prompt) -> dict[str, str]:
    """What a form begins with that begins with the text of a prompt."""
    return {name: getattr(prompt, name) for name in ("method", *WORDING)}
