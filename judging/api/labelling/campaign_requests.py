"""Requests to create or change a campaign: their fields, and the rows that they name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rest_framework import serializers

from evenhand.options import Option, read_options
from evenhand.refusals import Refused
from judging.api.new_runs import NameField, dataset_named
from judging.models import Campaign, CampaignState, User
from judging.models.labelling.answer_rules import FEWEST_LEVELS, MOST_LEVELS
from judging.services.campaigns.asked_attributes import LONGEST_QUESTION
from judging.services.campaigns.campaign_setup import create_campaign
from judging.services.campaigns.guidelines import LONGEST_GUIDELINES
from judging.services.campaigns.wanted_width import NARROWEST, WIDEST
from judging.web.api_input import RequestSerializer, request_of, values_of_body
from judging.web.operations.new_campaigns import CAMPAIGN_OPTIONS, campaign_settings


def levels_field(help_text: str) -> serializers.IntegerField:
    return serializers.IntegerField(
        min_value=FEWEST_LEVELS, max_value=MOST_LEVELS, allow_null=True, required=False, help_text=help_text
    )


class CampaignChangeSerializer(RequestSerializer):
    """Changes of a campaign. annotators: usernames.

    guidelines: a change is a new version, which annotators read before their next pair. question and allowed answers:
    fixed after the first vote.
    """

    guidelines = serializers.CharField(max_length=LONGEST_GUIDELINES, allow_blank=True, required=False)
    question = serializers.CharField(
        max_length=LONGEST_QUESTION, allow_blank=True, required=False, help_text="Of a campaign with one attribute."
    )
    questions = serializers.DictField(
        child=serializers.CharField(max_length=LONGEST_QUESTION, allow_blank=True),
        required=False,
        help_text="Attribute -> question above each pair; empty for the question in the words of prompts.",
    )
    allow_ties = serializers.BooleanField(required=False)
    allow_both_bad = serializers.BooleanField(required=False)
    allow_cannot_judge = serializers.BooleanField(required=False)
    strength_levels = levels_field("How much better a text is, from 1 to this number; null: not asked.")
    confidence_levels = levels_field("How sure the annotator is, from 1 to this number; null: not asked.")
    take_comments = serializers.BooleanField(required=False)
    annotators = serializers.ListField(child=NameField(), required=False, max_length=1_000)
    deadline = serializers.DateTimeField(
        allow_null=True, required=False, help_text="The campaign is closed from then on; null for no deadline."
    )
    wanted_width = serializers.FloatField(
        min_value=NARROWEST,
        max_value=WIDEST,
        allow_null=True,
        required=False,
        help_text="The votes are enough once the 95 % interval of the agreement is at most this wide; null: no goal.",
    )
    state = serializers.ChoiceField(
        CampaignState.choices,
        required=False,
        help_text="draft → open ⇄ paused → closed. People vote only while it is open.",
    )


DATASET = Option("Name of the dataset.", longest=200, name="dataset")
NewCampaignSerializer = request_of([DATASET, *CAMPAIGN_OPTIONS], name="NewCampaignSerializer")


def create_from(sent: Any, *, user: User) -> Campaign:  # noqa: ANN401 - a body of JSON or of a form
    """Create a campaign from a request. Raises Refused with every problem."""
    values = values_of_body(sent)
    dataset = dataset_named(read_options([DATASET], {"dataset": values.pop("dataset", None)})["dataset"], user)
    return create_campaign(dataset, user, **campaign_settings(dataset, values, user=user))


def read_questions(values: dict[str, Any], attributes: Sequence[str]) -> dict[str, str]:
    """Take attribute -> own question out of a request. Raises Refused for `question` with several attributes."""
    question, questions = values.pop("question", None), values.pop("questions", {})
    if question is None:
        return questions
    if questions or len(attributes) > 1:
        raise Refused("question: give questions, which name the attribute of each, to a campaign with several")
    return {attributes[0]: question}


def users_named(names: Sequence[str]) -> list[User]:
    """Return the active people of these usernames. Raises Refused with every name that nobody has."""
    known = {user.username: user for user in User.objects.filter(username__in=names, is_active=True)}
    if unknown := [name for name in names if name not in known]:
        raise Refused(*(f'annotators: there is nobody called "{name}"' for name in unknown))
    return list(known.values())
