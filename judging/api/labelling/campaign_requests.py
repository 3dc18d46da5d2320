"""Requests to create or change a campaign: their fields, and the rows that they name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rest_framework import serializers

from evenhand.refusals import Refused
from judging.api.labelling.campaign_rows import ScaleSerializer
from judging.api.new_runs import LARGEST_SEED, NameField, attributes_named, dataset_named
from judging.models import Campaign, CampaignKind, CampaignState, Dataset, Run, TextFormat, User
from judging.models.labelling.answer_rules import FEWEST_LEVELS, MOST_LEVELS
from judging.services.campaign_pairs.campaign_selection import D_OPTIMAL, PAIR_RULES
from judging.services.campaign_pairs.rating_scales import RatingScale
from judging.services.campaigns.asked_attributes import LONGEST_QUESTION
from judging.services.campaigns.campaign_setup import create_campaign
from judging.services.campaigns.guidelines import LONGEST_GUIDELINES
from judging.services.campaigns.wanted_width import NARROWEST, WIDEST
from judging.services.plans.selection_settings import LARGEST_NUMBER
from judging.web.api_input import RequestSerializer

MOST_VOTES, MOST_RUNS, MOST_ATTRIBUTES = 1_000, 1_000, 100


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


class NewCampaignSerializer(CampaignChangeSerializer):
    """A new campaign. pairs_per_context: default all pairs. contexts: only the first contexts; default all.

    In a campaign of ratings, pairs are single texts, and votes are ratings.
    """

    kind = serializers.ChoiceField(CampaignKind.choices, default=CampaignKind.PAIRS)
    scales = serializers.DictField(
        child=ScaleSerializer(), required=False, help_text="Attribute -> scale, of a campaign of ratings."
    )
    name = NameField(help_text="Annotators see it: do not reveal which systems are compared.")
    dataset = NameField()
    attribute = NameField(required=False, help_text="Of a campaign with one attribute.")
    attributes = serializers.ListField(
        child=NameField(),
        required=False,
        min_length=1,
        max_length=MOST_ATTRIBUTES,
        help_text="In the order in which annotators are asked about each pair.",
    )
    text_format = serializers.ChoiceField(TextFormat.choices, default=TextFormat.PLAIN)
    votes_per_pair = serializers.IntegerField(min_value=1, max_value=MOST_VOTES, default=3)
    pairs_per_context = serializers.IntegerField(min_value=1, max_value=LARGEST_NUMBER, allow_null=True, default=None)
    contexts = serializers.IntegerField(min_value=1, max_value=LARGEST_NUMBER, allow_null=True, default=None)
    selection = serializers.ChoiceField(list(PAIR_RULES.items()), default=D_OPTIMAL)
    runs = serializers.ListField(
        child=serializers.IntegerField(min_value=1),
        default=list,
        max_length=MOST_RUNS,
        help_text="Numbers of the runs whose answers choose the pairs, for the selection unsure.",
    )
    pair_limit = serializers.IntegerField(
        min_value=1, max_value=LARGEST_NUMBER, allow_null=True, default=None, help_text="At most this many pairs."
    )
    random_share = serializers.FloatField(
        min_value=0, max_value=1, default=0.0, help_text="Share of the pairs drawn at random from all, and marked."
    )
    state = serializers.ChoiceField(["open", "draft"], default="open")
    seed = serializers.IntegerField(
        min_value=0, max_value=LARGEST_SEED, allow_null=True, default=None, help_text="Default: a fresh one."
    )
    allow_repeats = serializers.BooleanField(
        default=False, help_text="Show annotators pairs that they saw in other campaigns on the attribute."
    )


def create_from(values: dict[str, Any], *, user: User) -> Campaign:
    """Create a campaign from a valid request. Raises Refused with every problem of its names."""
    dataset = dataset_named(values.pop("dataset"), user)
    attributes = attributes_named(dataset, read_attributes(values))
    questions = read_questions(values, [attribute.name for attribute in attributes])
    scales = {name: RatingScale(**scale) for name, scale in values.pop("scales", {}).items()}
    annotators = users_named(values.pop("annotators", ()))
    return create_campaign(
        dataset,
        attributes=attributes,
        questions=questions,
        scales=scales,
        annotators=annotators,
        runs=doubting_runs(values.pop("runs"), dataset, user),
        created_by=user,
        **values,
    )


def read_attributes(values: dict[str, Any]) -> list[str]:
    """Take the names of the attributes out of a request. Raises Refused unless it has `attribute` or `attributes`."""
    if ("attribute" in values) == ("attributes" in values):
        raise Refused("attributes: give attribute, or a list of attributes")
    return values.pop("attributes", None) or [values.pop("attribute")]


def read_questions(values: dict[str, Any], attributes: Sequence[str]) -> dict[str, str]:
    """Take attribute -> own question out of a request. Raises Refused for `question` with several attributes."""
    question, questions = values.pop("question", None), values.pop("questions", {})
    if question is None:
        return questions
    if questions or len(attributes) > 1:
        raise Refused("question: give questions, which name the attribute of each, to a campaign with several")
    return {attributes[0]: question}


def doubting_runs(numbers: Sequence[int], dataset: Dataset, user: User) -> list[Run]:
    """Return the runs of a dataset with these numbers. Raises Refused with every number that this person cannot see."""
    runs = {run.pk: run for run in Run.objects.visible_to(user).filter(dataset=dataset, pk__in=numbers)}
    if unknown := [number for number in numbers if number not in runs]:
        raise Refused(*(f"runs: there is no run {number} on {dataset.name}" for number in unknown))
    return list(runs.values())


def users_named(names: Sequence[str]) -> list[User]:
    """Return the active people of these usernames. Raises Refused with every name that nobody has."""
    known = {user.username: user for user in User.objects.filter(username__in=names, is_active=True)}
    if unknown := [name for name in names if name not in known]:
        raise Refused(*(f'annotators: there is nobody called "{name}"' for name in unknown))
    return list(known.values())
