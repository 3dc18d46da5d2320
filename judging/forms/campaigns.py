"""The forms of a new campaign and of its changes, made from the options of `create_campaign`, and of known pairs."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django import forms
from django.http import HttpRequest, QueryDict
from django.utils.datastructures import MultiValueDict

from evenhand.formats.recorded.known_pairs import read_asked_pairs
from evenhand.refusals import raise_if_any
from judging.models import Attribute, Campaign, CampaignKind, Dataset, Run, User
from judging.models.labelling.answer_rules import ANSWER_LIMITS, ANSWER_RULES
from judging.services.campaign_pairs.campaign_draw import SIZES
from judging.services.campaign_pairs.campaign_selection import ALL, GIVEN, PAIR_RULES, UNSURE
from judging.services.campaigns.answer_rules import CHANGEABLE, has_votes
from judging.services.campaigns.asked_attributes import LONGEST_QUESTION
from judging.services.campaigns.campaign_changes import GROWING
from judging.services.invitations.campaign_people import annotators_to_offer, enrolled_annotators
from judging.web.form_fields import shown_when
from judging.web.operations.new_campaigns import CAMPAIGN_OPTIONS, CHANGE_OPTIONS, campaign_changes
from judging.web.options import OfferedChoices, option_fields, values_sent
from judging.web.uploaded_files import source_file

MOST_ORDER = 1_000
OF_PAIRS, OF_RATINGS = shown_when("kind", [CampaignKind.PAIRS]), shown_when("kind", [CampaignKind.RATINGS])
SCALE_FIELDS = ("lowest", "highest", "lowest_label", "highest_label")
RARE_CAMPAIGN_FIELDS = (
    "text_format",
    "random_share",
    "contexts",
    "seed",
    "allow_repeats",
    "wanted_width",
    *ANSWER_LIMITS,
)
SHOWN_WHEN = {
    **dict.fromkeys(("selection", "random_share", "allow_repeats", "most_cannot_judge", *ANSWER_RULES), OF_PAIRS),
    **dict.fromkeys(SCALE_FIELDS, OF_RATINGS),
    "runs": shown_when("selection", [UNSURE]),
    "pairs_per_context": shown_when("selection", [rule for rule in PAIR_RULES if rule != ALL]),
}


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
    raise_if_any(_order_problems(chosen))
    ordered = sorted(chosen, key=lambda name: int(chosen[name].order or MOST_ORDER + 1))
    return {"attributes": ordered, "questions": {name: chosen[name].question for name in ordered}}


def _order_problems(chosen: Mapping[str, PostedAttribute]) -> Iterator[str]:
    for order, number in Counter(line.order for line in chosen.values() if line.order).items():
        if not (order.isdecimal() and 1 <= int(order) <= MOST_ORDER):
            yield f"attributes: Order: “{order}” — give a whole number from 1 to {MOST_ORDER:,}."
        elif number > 1:
            yield f"attributes: Order: {number} attributes have the number {order}. Give each its own."


class CampaignForm(forms.Form):
    """A new campaign on one dataset. `create_campaign` refuses; the form offers and shows."""

    def __init__(self, dataset: Dataset, data: QueryDict | None, *, user: User) -> None:
        super().__init__(data)
        self.sent = values_sent(data or QueryDict())
        fields = option_fields(option for option in CAMPAIGN_OPTIONS if option.name != "questions")
        fields["attributes"] = AttributesField(list(dataset.attributes.select_related("dataset")))
        runs = Run.objects.visible_to(user).ordinary().filter(dataset=dataset, is_scoring=False)
        fields["runs"] = _boxes((run.pk, _described(run)) for run in runs.select_related("judge", "attribute"))
        people = annotators_to_offer(user).values_list("username", flat=True)
        fields["annotators"] = _boxes((name, name) for name in people)
        for option in CAMPAIGN_OPTIONS:
            if option.name in fields:
                field = fields[option.name]
                field.help_text = option.help
                field.widget.attrs |= SHOWN_WHEN.get(option.name, {})
        for name in ("kind", "state"):
            fields[name].widget = forms.RadioSelect(attrs={"class": "lines"}, choices=fields[name].widget.choices)
        self.fields |= fields

    def values(self) -> dict[str, Any]:
        """Return the options as the page sent them. A box that is shown and not ticked is false.

        Raises Refused for an impossible order of attributes.
        """
        sent = {name: value for name, value in self.sent.items() if not name.startswith("attributes_")}
        sent.pop("effort", None)
        boxes = [option.name for option in CAMPAIGN_OPTIONS if option.kind is bool and option.default]
        kind = sent.get("kind") or CampaignKind.PAIRS.value
        unticked = {name: False for name in boxes if name not in sent and kind == CampaignKind.PAIRS}
        return unticked | sent | chosen_attributes(self["attributes"].data)

    @property
    def common_fields(self) -> list[forms.BoundField]:
        """Fields that most campaigns need."""
        folded = (*SCALE_FIELDS, *ANSWER_RULES, *RARE_CAMPAIGN_FIELDS)
        return [field for field in self.visible_fields() if field.name not in folded]

    @property
    def answer_fields(self) -> list[forms.BoundField]:
        """The allowed answers: the scale of ratings, or the choices on a pair."""
        return [self[name] for name in (*SCALE_FIELDS, *ANSWER_RULES)]

    @property
    def rare_fields(self) -> list[forms.BoundField]:
        """Fields whose defaults fit most campaigns."""
        return [self[name] for name in RARE_CAMPAIGN_FIELDS]

    @property
    def opens_answer_fields(self) -> bool:
        """True if one of them was sent with another value than its default, or has an error."""
        return self._is_used([*SCALE_FIELDS, *ANSWER_RULES])

    @property
    def opens_rare_fields(self) -> bool:
        """True if one of them was sent with another value than its default, or has an error."""
        return self._is_used(RARE_CAMPAIGN_FIELDS)

    def _is_used(self, names: Sequence[str]) -> bool:
        return any(self[name].errors or (self.is_bound and name in self.changed_data) for name in names)


def _boxes(choices: Iterable[tuple[Any, str]]) -> OfferedChoices:
    return OfferedChoices(required=False, choices=list(choices), widget=forms.CheckboxSelectMultiple)


def _described(run: Run) -> str:
    return f"run {run.pk}: {run.judge.name}, {run.prompt_name}, {run.attribute.name}"


ASKED_PAIRS = "CSV or JSON Lines: context, first, second, and attribute where the campaign has several."
ELSEWHERE = ("questions", "wanted_width", "state")
"""Options without a field of their own: each attribute has a field for its question, other buttons change the rest."""


class CampaignEditForm(forms.Form):
    """Changes to a campaign. Questions and allowed answers are fixed once a vote is recorded."""

    def __init__(self, campaign: Campaign, request: HttpRequest, *, user: User) -> None:
        data = request.POST if request.method == "POST" else None
        super().__init__(data, request.FILES or None)
        self.campaign, self.user, self.sent = campaign, user, values_sent(data or QueryDict())
        now = campaign.pair_choice
        hidden = (*ELSEWHERE, *CHANGEABLE, "most_cannot_judge") if campaign.is_of_ratings else ELSEWHERE
        hidden = (*hidden, *SIZES) if now["rule"] == GIVEN else hidden
        options = [
            replace(one, if_none="all" if one.name in SIZES else "not asked")
            for one in CHANGE_OPTIONS
            if one.name not in hidden
        ]
        self.fields |= option_fields(options, with_help=True)
        self.initial = {one.name: now[one.name] if one.name in now else getattr(campaign, one.name) for one in options}
        if now["rule"] == GIVEN:
            self.fields["pairs"] = forms.FileField(label="More pairs", required=False, help_text=ASKED_PAIRS)
        people = annotators_to_offer(user, campaign=campaign).values_list("username", flat=True)
        self.fields["annotators"] = OfferedChoices(
            required=False,
            choices=[(name, name) for name in people],
            widget=forms.CheckboxSelectMultiple,
            help_text="People who may vote. Their votes stay when you remove them.",
        )
        self.initial["annotators"] = list(campaign.annotators.values_list("username", flat=True))
        self.questions = self._add_questions(campaign.own_questions())
        for name in self.fields.keys() & {*CHANGEABLE, *self.questions}:
            self.fields[name].disabled = has_votes(campaign)

    def _add_questions(self, questions: dict[str, str]) -> dict[str, str]:
        """Add a field for the question on each attribute. Returns name of the field -> name of the attribute."""
        names = {f"question_{number}": attribute for number, attribute in enumerate(questions)}
        if len(names) == 1:
            names = dict.fromkeys(["question"], *questions)
        for name, attribute in names.items():
            self.fields[name] = forms.CharField(
                label="Question" if name == "question" else f"Question on {attribute}",
                required=False,
                initial=questions[attribute],
                help_text="Asked above each pair (empty: as in prompts, “Which summary is more coherent?”).",
            )
        self.order_fields(["guidelines", *names, *CHANGEABLE, *GROWING, "pairs", "deadline", *ANSWER_LIMITS])
        return names

    def changes(self) -> dict[str, Any]:
        """Return the changes that the page sent. People who came in by an invitation stay.

        Raises Refused, and InvalidFile for a table of pairs.
        """
        sent = self.sent
        open_fields = {name: field for name, field in self.fields.items() if not field.disabled}
        values: dict[str, Any] = {
            name: name in sent if isinstance(field, forms.BooleanField) else sent.get(name)
            for name, field in open_fields.items()
            if name not in self.questions and name != "pairs"
        }
        asked = {attribute: sent.get(name, "") for name, attribute in self.questions.items() if name in open_fields}
        changes = campaign_changes(self.campaign, values | {"questions": asked}, user=self.user)
        if table := self.files.get("pairs"):
            changes["pairs"] = read_asked_pairs(source_file(table))
        return changes | {"annotators": [*changes["annotators"], *enrolled_annotators(self.campaign)]}


class KnownPairsFileForm(forms.Form):
    """A table of pairs with known answers."""

    file = forms.FileField(
        label="Table",
        allow_empty_file=True,  # the reader reports an empty file, with every other problem
        help_text="CSV or JSON Lines with the columns context, first, second, answer (first, second or tie), "
        "and attribute where the campaign has several.",
    )
