"""Campaigns: the list, one campaign with its progress, creating, changing and deleting one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import generics, serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from judging.api.new_runs import LARGEST_SEED, NameField, attributes_named, dataset_named
from judging.exceptions import Refused
from judging.models import Campaign, CampaignKind, CampaignState, Dataset, GuidelinesText, Run, TextFormat, User
from judging.models.labelling.answer_rules import ANSWER_RULES, FEWEST_LEVELS, MOST_LEVELS
from judging.services.campaign_pairs.campaign_selection import D_OPTIMAL, PAIR_RULES
from judging.services.campaign_pairs.rating_scales import LONGEST_LABEL, RatingScale, own_scales
from judging.services.campaigns.answer_rules import CHANGEABLE, revise_rules
from judging.services.campaigns.asked_attributes import LONGEST_QUESTION
from judging.services.campaigns.campaign_copies import copy_campaign, name_of_copy
from judging.services.campaigns.campaign_setup import (
    create_campaign,
    discard_campaign,
    set_annotators,
)
from judging.services.campaigns.campaign_states import change_deadline, change_state
from judging.services.campaigns.guidelines import LONGEST_GUIDELINES, change_guidelines, guidelines_versions
from judging.services.campaigns.overlaps import Overlap, find_overlaps
from judging.services.campaigns.wanted_width import NARROWEST, WIDEST, set_wanted_width
from judging.services.plans.selection_settings import LARGEST_NUMBER
from judging.web.api_errors import ProblemsSerializer
from judging.web.api_input import RequestSerializer
from judging.web.role_checks import ResearchersWrite, for_researchers, user_of

MOST_VOTES, MOST_RUNS, MOST_ATTRIBUTES = 1_000, 1_000, 100


class CampaignSelectionSerializer(serializers.Serializer[Any]):
    """How the pairs were chosen. rule: the selection. random_share: share of random pairs, which are held out.

    runs: numbers of the runs whose answers chose the pairs.
    """

    rule = serializers.CharField(default="")
    pairs_per_context = serializers.IntegerField(allow_null=True, default=None)
    contexts = serializers.IntegerField(allow_null=True, default=None)
    pair_limit = serializers.IntegerField(allow_null=True, default=None)
    random_share = serializers.FloatField(default=0.0)
    runs = serializers.ListField(child=serializers.IntegerField(), default=list)


class ScaleSerializer(RequestSerializer):
    """A scale of ratings. lowest, highest: null for those of the dataset's attribute, else 1 and 5."""

    lowest = serializers.IntegerField(allow_null=True, default=None)
    highest = serializers.IntegerField(allow_null=True, default=None)
    lowest_label = serializers.CharField(
        allow_blank=True, max_length=LONGEST_LABEL, default="", help_text="Meaning of the lowest rating."
    )
    highest_label = serializers.CharField(
        allow_blank=True, max_length=LONGEST_LABEL, default="", help_text="Meaning of the highest rating."
    )


class CampaignSerializer(serializers.ModelSerializer[Campaign]):
    """A campaign. pairs, votes: their numbers. votes_planned: all votes that the campaign needs."""

    dataset = serializers.CharField(source="dataset.name")
    attribute = serializers.SerializerMethodField(help_text="Of a campaign with one attribute, else null.")
    question = serializers.SerializerMethodField(help_text="Its own question; empty with several attributes.")
    attributes = serializers.SerializerMethodField(help_text="Names, in the order asked.")
    questions = serializers.SerializerMethodField(help_text="Attribute -> own question; empty for that of prompts.")
    scales = serializers.SerializerMethodField(help_text="Attribute -> scale of its ratings; empty for pairs.")
    annotators: serializers.SlugRelatedField[User] = serializers.SlugRelatedField("username", many=True, read_only=True)
    created_by = serializers.CharField(source="created_by.username", default=None, allow_null=True)
    pairs = serializers.IntegerField(source="pair_count")
    votes = serializers.IntegerField(source="votes_done")
    votes_planned = serializers.IntegerField()
    pair_choice = CampaignSelectionSerializer()
    first_round = serializers.CharField(
        source="first_round.name",
        default=None,
        allow_null=True,
        help_text="Campaign whose disputed pairs it asks.",
    )
    state = serializers.CharField(help_text="draft, open, paused or closed; closed after the deadline.")

    class Meta:
        model = Campaign
        fields = [
            *(
                "id",
                "kind",
                "name",
                "dataset",
                "attribute",
                "question",
                "attributes",
                "questions",
                "scales",
                "guidelines",
                *ANSWER_RULES,
                "text_format",
                "allow_repeats",
                "votes_per_pair",
                "seed",
            ),
            *("annotators", "created_by", "created_at", "pairs", "votes", "votes_planned", "pair_choice"),
            *("first_round", "state", "deadline", "wanted_width"),
        ]

    def get_attribute(self, campaign: Campaign) -> str | None:
        return campaign.only_attribute

    def get_question(self, campaign: Campaign) -> str:
        questions = list(campaign.own_questions().values())
        return questions[0] if len(questions) == 1 else ""

    def get_attributes(self, campaign: Campaign) -> list[str]:
        return list(campaign.own_questions())

    def get_questions(self, campaign: Campaign) -> dict[str, str]:
        return campaign.own_questions()

    @extend_schema_field(serializers.DictField(child=ScaleSerializer()))
    def get_scales(self, campaign: Campaign) -> dict[str, Any]:
        return {name: asdict(scale) for name, scale in own_scales(campaign).items()}


class OverlapSerializer(serializers.Serializer[Overlap]):
    """Another campaign on the attribute. pairs: shared pairs. annotators: people who take part in both."""

    campaign = serializers.CharField()
    pairs = serializers.IntegerField()
    annotators = serializers.IntegerField()


class GuidelinesTextSerializer(serializers.ModelSerializer[GuidelinesText]):
    """A version of the guidelines. digest: its name in exported votes. votes: given under it."""

    digest = serializers.CharField()
    created_by = serializers.CharField(source="created_by.username", default=None, allow_null=True)
    votes = serializers.IntegerField(source="vote_count")

    class Meta:
        model = GuidelinesText
        fields = ["version", "digest", "text", "created_by", "created_at", "votes"]


class CampaignDetailSerializer(CampaignSerializer):
    """A campaign. overlaps: the other campaigns that share pairs with it. guidelines_versions: the latest first."""

    overlaps = serializers.SerializerMethodField()
    guidelines_versions = serializers.SerializerMethodField()

    class Meta(CampaignSerializer.Meta):
        fields = [*CampaignSerializer.Meta.fields, "overlaps", "guidelines_versions"]

    @extend_schema_field(GuidelinesTextSerializer(many=True))
    def get_guidelines_versions(self, campaign: Campaign) -> list[dict[str, Any]]:
        return [GuidelinesTextSerializer(version).data for version in guidelines_versions(campaign)]

    @extend_schema_field(OverlapSerializer(many=True))
    def get_overlaps(self, campaign: Campaign) -> list[dict[str, Any]]:
        return [OverlapSerializer(overlap).data for overlap in find_overlaps(campaign)]


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


def visible_campaigns(request: Request) -> QuerySet[Campaign]:
    """Return the campaigns that a researcher may see. Annotators get none: the texts' origin is hidden from them."""
    campaigns = for_researchers(Campaign.objects.visible_to(user_of(request)).with_progress(), request)
    related = campaigns.select_related("dataset", "created_by", "first_round")
    return related.prefetch_related("annotators", "asked_attributes")


class CampaignList(generics.ListAPIView[Campaign]):
    """The campaigns on datasets that one may see."""

    serializer_class = CampaignSerializer
    permission_classes = (IsAuthenticated, ResearchersWrite)
    queryset = Campaign.objects.all()

    def get_queryset(self) -> QuerySet[Campaign]:
        return visible_campaigns(self.request)

    @extend_schema(request=NewCampaignSerializer, responses={201: CampaignDetailSerializer, 400: ProblemsSerializer})
    def post(self, request: Request) -> Response:
        """Create a campaign and draw its pairs."""
        body = NewCampaignSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        campaign = create_from(body.validated_data, user=user_of(request))
        created = visible_campaigns(request).get(pk=campaign.pk)
        return Response(CampaignDetailSerializer(created).data, 201)


class CampaignDetail(generics.RetrieveAPIView[Campaign]):
    serializer_class = CampaignDetailSerializer
    permission_classes = (IsAuthenticated, ResearchersWrite)
    queryset = Campaign.objects.all()

    def get_queryset(self) -> QuerySet[Campaign]:
        return visible_campaigns(self.request)

    def get_editable(self) -> Campaign:
        """Return the campaign if this person may change it. Raises PermissionDenied otherwise."""
        campaign = self.get_object()
        if not Campaign.objects.editable_by(user_of(self.request)).filter(pk=campaign.pk).exists():
            raise PermissionDenied("only its creator and admins may change or delete a campaign")
        return campaign

    @extend_schema(request=CampaignChangeSerializer, responses={200: CampaignDetailSerializer, 400: ProblemsSerializer})
    @transaction.atomic
    def patch(self, request: Request, pk: int) -> Response:
        """Change a campaign. For its creator and admins."""
        campaign = self.get_editable()
        body = CampaignChangeSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        changes = body.validated_data
        questions = read_questions(changes, [attribute.name for attribute in campaign.attributes_in_order()])
        revise_rules(campaign, {name: changes[name] for name in CHANGEABLE if name in changes}, questions=questions)
        if "guidelines" in changes:
            change_guidelines(campaign, text=changes["guidelines"], changed_by=user_of(request))
        if "deadline" in changes:
            change_deadline(campaign, deadline=changes["deadline"])
        if "wanted_width" in changes:
            set_wanted_width(campaign, width=changes["wanted_width"])
        if "state" in changes:
            change_state(campaign, state=changes["state"])
        if "annotators" in changes:
            set_annotators(campaign, annotators=users_named(changes["annotators"]))
        return Response(CampaignDetailSerializer(self.get_object()).data)

    @extend_schema(responses={204: None, 400: ProblemsSerializer})
    def delete(self, request: Request, pk: int) -> Response:
        """Delete a campaign without votes. For its creator and admins."""
        discard_campaign(self.get_editable())
        return Response(status=204)


class CopySerializer(RequestSerializer):
    """name: of the copy; default: the campaign's name, then "copy". annotators: usernames; default: nobody."""

    name = NameField(allow_blank=True, default="")
    annotators = serializers.ListField(child=NameField(), default=list, max_length=1_000)


class CampaignCopy(APIView):
    permission_classes = (IsAuthenticated, ResearchersWrite)

    @extend_schema(request=CopySerializer, responses={201: CampaignDetailSerializer, 400: ProblemsSerializer})
    def post(self, request: Request, pk: int) -> Response:
        """Make a draft with the settings, guidelines, consent text, gold and training pairs, and a fresh seed."""
        campaign = get_object_or_404(visible_campaigns(request), pk=pk)
        body = CopySerializer(data=request.data)
        body.is_valid(raise_exception=True)
        copy = copy_campaign(
            campaign,
            name=body.validated_data["name"] or name_of_copy(campaign),
            created_by=user_of(request),
            annotators=users_named(body.validated_data["annotators"]),
        )
        return Response(CampaignDetailSerializer(visible_campaigns(request).get(pk=copy.pk)).data, 201)


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
