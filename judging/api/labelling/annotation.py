"""Annotating: own campaigns, their guidelines, the next pair, own votes and skips. Never votes of other people."""

from typing import Any, TypedDict
from uuid import UUID

from django.db.models import Max, QuerySet
from django.shortcuts import get_object_or_404
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evenhand.options import Option
from evenhand.refusals import Refused
from judging.models import Assignment, Campaign, CampaignAttribute
from judging.models.labelling.answer_rules import ANSWER_RULES
from judging.models.labelling.assignments import AssignmentQuerySet
from judging.models.labelling.campaigns import CampaignQuerySet
from judging.models.labelling.votes import EVERY_CHOICE
from judging.services.campaign_pairs.training import failed_training, needs_training, with_training
from judging.services.campaigns.guidelines import has_read_guidelines, note_guidelines_read, with_current_guidelines
from judging.services.campaigns.next_pair import next_pair
from judging.services.campaigns.progress.working_session import told_progress
from judging.services.invitations.consent import missing_consent
from judging.services.invitations.screening import screened_out
from judging.web.api_input import options_in_body, request_of
from judging.web.role_checks import user_of

UNACCEPTED = "consent: read the text and accept it with POST own-campaigns/ID/consent/"
UNREAD = "guidelines: read them first, and confirm it with POST own-campaigns/ID/guidelines-read/"

UNTRAINED = "training: answer the training pairs first, with own-campaigns/ID/training/"


class AskedAttributeSerializer(serializers.Serializer[CampaignAttribute]):
    """An attribute of a campaign. question: the question above each pair."""

    attribute = serializers.CharField(source="attribute.name")
    definition = serializers.CharField(source="attribute.definition")
    question = serializers.CharField(source="asked_question")
    lowest = serializers.IntegerField(allow_null=True, help_text="Lowest rating; null for pairs.")
    highest = serializers.IntegerField(allow_null=True, help_text="Highest rating; null for pairs.")
    lowest_label = serializers.CharField(help_text="Meaning of the lowest rating.")
    highest_label = serializers.CharField(help_text="Meaning of the highest rating.")


class OwnCampaignSerializer(serializers.ModelSerializer[Campaign]):
    """A campaign for its annotators. votes, skips: their own. left: pairs that they can still vote on.

    total: their part, else votes, skips, pairs left and those that others completed meanwhile. It never falls; gold
    pairs and repeats are in all four numbers.
    """

    attribute = serializers.SerializerMethodField(help_text="Of a campaign with one attribute, else null.")
    definition = serializers.SerializerMethodField(help_text="Definition of this attribute.")
    question = serializers.CharField(source="asked_question", help_text="The questions of all attributes.")
    attributes = AskedAttributeSerializer(source="asked_attributes", many=True, help_text="In the order asked.")
    guidelines_version = serializers.IntegerField(help_text="Version of the guidelines.")
    votes = serializers.IntegerField(source="own_progress.votes")
    skips = serializers.IntegerField(source="own_progress.skips")
    left = serializers.IntegerField(source="own_progress.left")
    total = serializers.IntegerField(source="own_progress.total")
    state = serializers.CharField(help_text="draft, open, paused or closed. Voting needs open.")

    class Meta:
        model = Campaign
        fields = [
            *("id", "kind", "name", "attribute", "definition", "question", "attributes", "guidelines"),
            "guidelines_version",
            *ANSWER_RULES,
            *("text_format", "votes", "skips", "left", "total", "state", "deadline"),
        ]

    def to_representation(self, campaign: Campaign) -> dict[str, Any]:
        [told] = told_progress([campaign], user_of(self.context["request"]))
        return super().to_representation(told)

    def get_attribute(self, campaign: Campaign) -> str | None:
        return campaign.only_attribute

    def get_definition(self, campaign: Campaign) -> str | None:
        definitions = [attribute.definition for attribute in campaign.attributes_in_order()]
        return definitions[0] if len(definitions) == 1 else None


class ShownText(TypedDict):
    """A text of a pair. name: an opaque name, for the vote."""

    name: str
    text: str


class PairSerializer(serializers.Serializer[Assignment]):
    """A pair in the order in which this annotator sees it. choice: the own vote; null without one.

    In a campaign of ratings, `first` is the text and `second` is null. rating: the own rating; null without one.
    held_until: the end of the reservation of an open pair.
    """

    key = serializers.UUIDField()
    campaign = serializers.IntegerField(source="pair.campaign_id")
    attribute = serializers.CharField(source="pair.attribute.name")
    question = serializers.CharField(source="asked_question", help_text="The question about the pair.")
    context = serializers.CharField(source="pair.one.context.text")  # type: ignore[assignment]  # a field of the row
    first = serializers.SerializerMethodField()
    second = serializers.SerializerMethodField()
    status = serializers.CharField(help_text="open, voted or skipped.")
    choice = serializers.ChoiceField(EVERY_CHOICE, source="vote.choice", default=None, allow_null=True)
    strength = serializers.FloatField(source="vote.strength", default=None, allow_null=True)
    confidence = serializers.FloatField(source="vote.confidence", default=None, allow_null=True)
    comment = serializers.CharField(source="vote.comment", default=None, allow_null=True)
    rating = serializers.IntegerField(source="rating.value", default=None, allow_null=True)
    skip_reason = serializers.CharField()
    held_until = serializers.DateTimeField()
    answered_at = serializers.DateTimeField(allow_null=True)

    def get_first(self, assignment: Assignment) -> ShownText:
        return {"name": assignment.first_name, "text": assignment.first.text}

    def get_second(self, assignment: Assignment) -> ShownText | None:
        if assignment.pair.other is None:
            return None
        return {"name": assignment.second_name, "text": assignment.second.text}


def own_campaigns(request: Request) -> CampaignQuerySet:
    user = user_of(request)
    campaigns = Campaign.objects.open_to(user).with_own_progress(user)
    return campaigns.annotate(guidelines_version=Max("guidelines_texts__version"))


def joined_campaign(request: Request, pk: int) -> Campaign:
    return get_object_or_404(Campaign.objects.open_to(user_of(request)), pk=pk)


def own_answers(request: Request, pk: int) -> AssignmentQuerySet:
    """Return the pairs of a campaign that this annotator has seen."""
    own = Assignment.objects.of(user_of(request), campaign=joined_campaign(request, pk))
    related = own.with_texts().select_related("annotator", "pair__campaign__dataset")
    return related.prefetch_related("pair__campaign__asked_attributes")


def own_pair(request: Request, pk: int, key: UUID) -> Assignment:
    return get_object_or_404(own_answers(request, pk), key=key)


class OwnCampaignList(generics.ListAPIView[Campaign]):
    """The campaigns in which one takes part as an annotator, without archived ones."""

    serializer_class = OwnCampaignSerializer
    queryset = Campaign.objects.all()

    def get_queryset(self) -> QuerySet[Campaign]:
        return own_campaigns(self.request).archived(is_archived=False)


class OwnCampaign(generics.RetrieveAPIView[Campaign]):
    """A campaign with its guidelines and one's own progress."""

    serializer_class = OwnCampaignSerializer
    queryset = Campaign.objects.all()

    def get_queryset(self) -> QuerySet[Campaign]:
        return own_campaigns(self.request)


READ = (Option("The version that was read; null for the current one.", name="version", kind=int, low=1, default=None),)


class GuidelinesRead(APIView):
    @extend_schema(request=request_of(READ, name="GuidelinesReadSerializer"), responses={204: None})
    def post(self, request: Request, pk: int) -> Response:
        """Confirm that one has read the guidelines. The next pair needs it, again after each change."""
        read = options_in_body(request, READ)
        note_guidelines_read(joined_campaign(request, pk), annotator=user_of(request), **read)
        return Response(status=204)


class NextPair(APIView):
    """The next pair of an annotator."""

    @extend_schema(request=None, responses={200: PairSerializer, 204: OpenApiResponse(description="No pair is left.")})
    def post(self, request: Request, pk: int) -> Response:
        """Reserve the next pair for 30 minutes, or 10 where others have no pair left, and return it.

        An open pair is returned again.
        """
        campaign, annotator = joined_campaign(request, pk), user_of(request)
        if missing_consent(campaign, annotator=annotator):
            raise Refused(UNACCEPTED)
        own = campaign.participations.filter(annotator=annotator)
        participation = with_current_guidelines(with_training(own.with_exclusion())).first()
        if participation is None or not has_read_guidelines(participation):
            raise Refused(UNREAD)
        if needs_training(participation):
            raise Refused(failed_training(campaign, annotator) or UNTRAINED)
        is_over = participation.is_complete() or participation.is_excluded  # type: ignore[attr-defined]  # annotated
        is_over = is_over or annotator.pk in screened_out(campaign, annotator)
        assignment = None if is_over else next_pair(campaign, annotator=annotator)
        return Response(PairSerializer(assignment).data) if assignment else Response(status=204)


class AnswerFilter(filters.FilterSet):
    status = filters.ChoiceFilter(choices=[("voted", "voted"), ("skipped", "skipped")])


class OwnAnswers(generics.ListAPIView[Assignment]):
    """One's own votes and skips in a campaign, the latest first."""

    serializer_class = PairSerializer
    filterset_class = AnswerFilter
    queryset = Assignment.objects.all()

    def get_queryset(self) -> QuerySet[Assignment]:
        return own_answers(self.request, self.kwargs["pk"]).answered()
