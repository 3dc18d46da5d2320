"""Forms of prompts: adding one, and the attribute on which its example is shown."""

from typing import Any

from django import forms

from evenhand.engine.questions.reply_questions import REPLY_TOKENS
from evenhand.engine.questions.verdict_patterns import Place
from evenhand.prompting.methods import CRITERIA, METHODS, PROMPTED, method_names
from evenhand.prompting.templates import PromptText
from evenhand.prompting.verdicts import LONGEST_REPLY
from judging.models import Attribute, Dataset, Prompt, User
from judging.web.form_fields import shown_when

PROMPT_TEXT_FIELDS = (
    *("system", "reasoning_template", "template", "answer_prefix"),
    *("label_first", "label_second", "label_tie", "verdict", "verdict_place", "reply_tokens", "source"),
)
FOR_LABELS = shown_when("method", [method.name for method in PROMPTED.values() if method.has_labels])
FOR_REASONING = shown_when("method", [method.name for method in PROMPTED.values() if method.reasons])
FOR_TIES = shown_when("method", [method.name for method in PROMPTED.values() if method.takes_ties])
REASON_ONCE = method_names(method for method in METHODS.values() if method.reasons_once)
SCORE_BY_LABELS = method_names(
    method for method in METHODS.values() if method.is_scoring and method.has_labels and not method.reads_scale
)


PLACE_TITLES = {
    Place.ANYWHERE.value: "all of them, and they must agree",
    Place.START.value: "the reply begins with it",
    Place.END.value: "the last one",
}


class VerbatimField(forms.CharField):
    """A text that keeps its leading and trailing spaces. Line ends become line feeds."""

    def __init__(self, *, rows: int = 0, attrs: dict[str, str] | None = None, **options: Any) -> None:  # noqa: ANN401
        attributes = (attrs or {}) | {"spellcheck": "false", "class": "mono"}
        widget = forms.Textarea(attrs=attributes | {"rows": str(rows)}) if rows else forms.TextInput(attrs=attributes)
        super().__init__(strip=False, widget=widget, required=False, **options)

    def to_python(self, value: object) -> str:
        return (super().to_python(value) or "").replace("\r\n", "\n")


class AttributeField(forms.ModelChoiceField):
    def label_from_instance(self, attribute: Any) -> str:  # noqa: ANN401 - Django's signature
        return f"{attribute.dataset.name}: {attribute.name}"


class ExampleForm(forms.Form):
    """The attribute on which an example of a prompt is shown."""

    attribute = AttributeField(
        Attribute.objects.none(),
        label="Show it on",
        required=False,
        empty_label=None,
        help_text="The example uses the first pair of this dataset and the words of this attribute.",
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - Django's signature
        super().__init__(*args, **kwargs)
        datasets = Dataset.objects.visible_to(user)
        attributes = Attribute.objects.filter(dataset__in=datasets).select_related("dataset")
        self.fields["attribute"].queryset = attributes.order_by("dataset__name", "position")  # type: ignore[attr-defined]


class PromptForm(ExampleForm):
    """A new prompt, or the next version of the prompt `versioned`, with its name and method."""

    name = forms.CharField(
        max_length=100, help_text="As it appears in lists, tables and commands: letters, digits, dots and hyphens."
    )
    version = forms.IntegerField(widget=forms.HiddenInput, min_value=1, initial=1)
    method = forms.ChoiceField(
        choices=[(method.name, method.title) for method in PROMPTED.values() if method.takes_own_prompts]
    )
    system = VerbatimField(rows=3, label="System message", help_text="Empty for none.")
    reasoning_template = VerbatimField(
        rows=10,
        attrs=FOR_REASONING,
        label="Reasoning prompt",
        help_text="Asks the judge for its reasoning: about each text alone, about the pair, once before it sees any "
        f"text ({REASON_ONCE}), or for criteria about the context ({CRITERIA.name}). Empty for reasoning about the "
        "pair in the reply itself.",
    )
    template = VerbatimField(
        rows=14,
        label="Question",
        help_text=f"For {CRITERIA.name}: the part that other prompts' questions add to show the criteria.",
    )
    answer_prefix = VerbatimField(
        attrs=FOR_LABELS,
        label="Answer prefix",
        help_text="Text that begins the judge’s answer, before the label words; such as Summary. No spaces around it.",
    )
    label_first = VerbatimField(
        attrs=FOR_LABELS,
        label="Label word of the first text",
        help_text="With its leading space, if it needs one. For methods with a scale: the lowest score. For "
        f"{SCORE_BY_LABELS}: the word in favour of the text.",
    )
    label_second = VerbatimField(
        attrs=FOR_LABELS,
        label="Label word of the second text",
        help_text="With its leading space, if it needs one. For methods with a scale: the highest score.",
    )
    label_tie = VerbatimField(
        attrs=FOR_TIES,
        label="Label word of a tie",
        help_text="Empty: no ties. Otherwise the most probable of the three words is the answer.",
    )
    verdict = VerbatimField(
        rows=2,
        attrs=FOR_LABELS,
        label="Verdict in the reply",
        help_text="Empty: the answer is a label word alone. Otherwise the judge writes reasoning and verdict in one "
        "reply. Give the text of the verdict, such as [[<verdict>]], with <verdict> for a label word, <score> for a "
        "score, or <score A> and <score B> for two scores; the label words are the ends of the scale. "
        "One form per line.",
    )
    verdict_place = forms.ChoiceField(
        label="Verdict that counts",
        choices=list(PLACE_TITLES.items()),
        required=False,
        widget=forms.Select(attrs=FOR_LABELS),
    )
    reply_tokens = forms.IntegerField(
        label="Tokens of a reply",
        min_value=1,
        max_value=LONGEST_REPLY,
        required=False,
        widget=forms.NumberInput(attrs=FOR_LABELS),
        help_text=f"Limit on the new tokens of a whole reply. Empty: {REPLY_TOKENS}.",
    )
    source = VerbatimField(rows=2, label="Source of the wording", help_text="For readers of your results.")

    field_order = ("name", "method", *PROMPT_TEXT_FIELDS, "attribute")

    def __init__(self, user: User, *args: Any, versioned: Prompt | None = None, **kwargs: Any) -> None:  # noqa: ANN401
        super().__init__(user, *args, **kwargs)
        self.versioned = versioned
        if versioned:
            del self.fields["name"], self.fields["method"]
            for field in list(self.fields):
                self._fix_method(field, versioned.method)

    def _fix_method(self, field: str, method: str) -> None:
        """Always show a field that the method needs, and remove one that it does not need."""
        attrs = self.fields[field].widget.attrs
        if attrs.pop("data-shown-when", None) and method not in attrs.pop("data-shown-for").split():
            del self.fields[field]

    def prompt(self) -> PromptText:
        """Return the prompt of a valid form."""
        values = self.cleaned_data
        fixed = {"name": self.versioned.name, "method": self.versioned.method} if self.versioned else {}
        defaults = {"verdict_place": Place.ANYWHERE.value, "reply_tokens": REPLY_TOKENS}
        chosen = {name: value for name, value in values.items() if name != "attribute"}
        missing = {name: value for name, value in defaults.items() if not chosen.get(name)}
        return PromptText(**chosen | missing | fixed)


def initial_values(prompt: Prompt) -> dict[str, str | int]:
    """Return the initial values of a form that starts from a prompt's text."""
    return {name: getattr(prompt, name) for name in ("method", *PROMPT_TEXT_FIELDS)}
