"""The form that changes a campaign, made from the options of a new one."""

from dataclasses import replace
from typing import Any

from django import forms
from django.http import HttpRequest, QueryDict

from evenhand.formats.recorded.known_pairs import read_asked_pairs
from judging.models import Campaign, User
from judging.models.labelling.answer_rules import ANSWER_LIMITS
from judging.services.campaign_pairs.campaign_draw import SIZES
from judging.services.campaign_pairs.campaign_selection import GIVEN
from judging.services.campaigns.answer_rules import CHANGEABLE, has_votes
from judging.services.campaigns.campaign_changes import GROWING
from judging.services.invitations.campaign_people import annotators_to_offer, enrolled_annotators
from judging.web.operations.new_campaigns import CHANGE_OPTIONS, campaign_changes
from judging.web.options import OfferedChoices, option_fields, values_sent
from judging.web.uploaded_files import source_file

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
