"""Campaigns: their rows as JSON, the progress of one, creating, changing, copying and deleting one."""

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import generics, serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evenhand.formats.recorded.known_pairs import MOST_KNOWN_PAIRS, KnownPair
from evenhand.options import Option, options_of, read_options
from evenhand.refusals import Refused
from evenhand.report_json import as_json
from judging.api.people.campaign_checks import AskedPairSerializer
from judging.models import Campaign, Dataset, GuidelinesText, User
from judging.models.labelling.answer_rules import ANSWER_RULES
from judging.models.labelling.campaigns import CampaignQuerySet
from judging.services.campaign_pairs.rating_scales import RatingScale, own_scales
from judging.services.campaigns.asked_attributes import LONGEST_QUESTION
from judging.services.campaigns.campaign_changes import change_campaign
from judging.services.campaigns.campaign_copies import copy_campaign
from judging.services.campaigns.campaign_history import describe_growth
from judging.services.campaigns.campaign_setup import create_campaign, discard_campaign
from judging.services.campaigns.guidelines import guidelines_versions
from judging.services.campaigns.overlaps import Overlap, find_overlaps
from judging.services.campaigns.progress.campaign_report import CampaignReport, campaign_report
from judging.services.invitations.campaign_people import annotators_to_offer
from judging.services.names import named_row
from judging.web.api_input import RequestSerializer, request_of, sent_options, values_of_body
from judging.web.operations.new_campaigns import CAMPAIGN_OPTIONS, CHANGE_OPTIONS, campaign_changes, campaign_settings
from judging.web.options import Offered, find_rows
from judging.web.report_schema import serializer_of
from judging.web.role_checks import ResearchersWrite, for_researchers, user_of


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
        source="first_round.name", default=None, allow_null=True, help_text="Campaign whose disputed pairs it asks."
    )
    growth = serializers.SerializerMethodField(help_text="A sentence for each time it asked for more while it ran.")
    state = serializers.CharField(help_text="draft, open, paused or closed; closed after the deadline.")

    class Meta:
        model = Campaign
        fields = [
            *("id", "kind", "name", "dataset", "attribute", "question", "attributes", "questions", "scales"),
            "guidelines",
            *ANSWER_RULES,
            *("text_format", "allow_repeats", "votes_per_pair", "seed", "annotators", "created_by"),
            *("created_at", "pairs", "votes", "votes_planned", "pair_choice", "first_round", "state"),
            *("deadline", "wanted_width", "most_skips", "most_cannot_judge", "growth"),
        ]

    def get_attribute(self, campaign: Campaign) -> str | None:
        return campaign.only_attribute

    def get_question(self, campaign: Campaign) -> str:
        questions = list(campaign.own_questions().values())
        return questions[0] if len(questions) == 1 else ""

    def get_growth(self, campaign: Campaign) -> list[str]:
        return describe_growth(campaign)

    def get_attributes(self, campaign: Campaign) -> list[str]:
        return list(campaign.own_questions())

    def get_questions(self, campaign: Campaign) -> dict[str, str]:
        return campaign.own_questions()

    @extend_schema_field(serializers.DictField(child=serializer_of(RatingScale)()))
    def get_scales(self, campaign: Campaign) -> dict[str, Any]:
        return dict(as_json(own_scales(campaign)))


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

    @extend_schema_field(serializer_of(Overlap)(many=True))
    def get_overlaps(self, campaign: Campaign) -> list[dict[str, Any]]:
        return list(as_json(find_overlaps(campaign)))


DATASET = Option("Name of the dataset.", longest=200, name="dataset")
NewCampaignSerializer = request_of([DATASET, *CAMPAIGN_OPTIONS], name="NewCampaignSerializer")


def create_from(sent: Any, *, user: User) -> Campaign:  # noqa: ANN401 - a body of JSON or of a form
    """Create a campaign from a request. Raises Refused with every problem."""
    values = values_of_body(sent)
    dataset = named_row(Dataset, read_options([DATASET], {"dataset": values.pop("dataset", None)})["dataset"], user)
    return create_campaign(dataset, user, **campaign_settings(dataset, values, user=user))


_QUESTION = Option("Of a campaign with one attribute.", longest=LONGEST_QUESTION, name="question", default=None)


class ListedPairsSerializer(RequestSerializer):
    pairs = serializers.ListField(
        child=AskedPairSerializer(), required=False, max_length=MOST_KNOWN_PAIRS, help_text="To add to listed pairs."
    )


class CampaignChangeSerializer(
    ListedPairsSerializer,
    request_of([*CHANGE_OPTIONS, _QUESTION], name="CampaignOptionsSerializer"),  # type: ignore[misc]
):
    """The changes of a campaign."""


def changes_in(sent: Any, campaign: Campaign, *, user: User) -> dict[str, Any]:  # noqa: ANN401 - a body of JSON
    """Return the changes of a request. Raises Refused, also for `question` with several attributes."""
    values = values_of_body(sent)
    question, listed = values.pop("question", None), {name: values.pop(name) for name in ["pairs"] if name in values}
    checked = ListedPairsSerializer(data=listed)
    checked.is_valid(raise_exception=True)
    if question is not None:
        names = [attribute.name for attribute in campaign.attributes_in_order()]
        if "questions" in values or len(names) > 1:
            raise Refused("question: give questions, which name the attribute of each, to a campaign with several")
        values["questions"] = {names[0]: question}
    pairs = {name: [KnownPair(**pair) for pair in given] for name, given in checked.validated_data.items()}
    return campaign_changes(campaign, values, user=user) | pairs


class ArchivedFilter(filters.FilterSet):
    archived = filters.BooleanFilter(help_text="true: archived campaigns; otherwise all others.")

    def filter_queryset(self, queryset: CampaignQuerySet) -> CampaignQuerySet:
        return queryset.archived(is_archived=bool(self.form.cleaned_data["archived"]))


def visible_campaigns(request: Request) -> QuerySet[Campaign]:
    """Return the campaigns that a researcher may see. Annotators get none: the texts' origin is hidden from them."""
    campaigns = for_researchers(Campaign.objects.visible_to(user_of(request)).with_progress(), request)
    related = campaigns.select_related("dataset", "created_by", "first_round")
    return related.prefetch_related("annotators", "asked_attributes")


class CampaignRows(generics.GenericAPIView[Campaign]):
    permission_classes = (IsAuthenticated, ResearchersWrite)
    queryset = Campaign.objects.all()

    def get_queryset(self) -> QuerySet[Campaign]:
        return visible_campaigns(self.request)


class CampaignList(CampaignRows, generics.ListAPIView[Campaign]):
    """The campaigns on datasets that one may see, without archived ones."""

    serializer_class = CampaignSerializer
    filterset_class = ArchivedFilter

    @extend_schema(request=NewCampaignSerializer, responses={201: CampaignDetailSerializer})
    def post(self, request: Request) -> Response:
        """Create a campaign and draw its pairs."""
        campaign = create_from(request.data, user=user_of(request))
        created = visible_campaigns(request).get(pk=campaign.pk)
        return Response(CampaignDetailSerializer(created).data, 201)


class CampaignDetail(CampaignRows, generics.RetrieveAPIView[Campaign]):
    serializer_class = CampaignDetailSerializer

    def get_editable(self) -> Campaign:
        """Return the campaign if this person may change it. Raises PermissionDenied otherwise."""
        campaign = self.get_object()
        if not Campaign.objects.editable_by(user_of(self.request)).filter(pk=campaign.pk).exists():
            raise PermissionDenied("only its creator and admins may change or delete a campaign")
        return campaign

    @extend_schema(request=CampaignChangeSerializer, responses={200: CampaignDetailSerializer})
    def patch(self, request: Request, pk: int) -> Response:
        """Change a campaign. For its creator and admins."""
        campaign = self.get_editable()
        user = user_of(request)
        change_campaign(campaign, changes_in(request.data, campaign, user=user), changed_by=user)
        return Response(CampaignDetailSerializer(self.get_object()).data)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, pk: int) -> Response:
        """Delete a campaign without votes. For its creator and admins."""
        discard_campaign(self.get_editable())
        return Response(status=204)


CopySerializer = request_of(options_of(copy_campaign), name="CopySerializer")


class CampaignCopy(CampaignRows):
    @extend_schema(request=CopySerializer, responses={201: CampaignDetailSerializer})
    def post(self, request: Request, pk: int) -> Response:
        """Make a draft with the settings, guidelines, consent text, gold and training pairs, and a fresh seed."""
        campaign = self.get_object()
        read, user = sent_options(request, copy_campaign), user_of(request)
        people = find_rows(options_of(copy_campaign), read, {"annotator": Offered(annotators_to_offer(user))})
        copy = copy_campaign(campaign, user, **read | people)
        return Response(CampaignDetailSerializer(visible_campaigns(request).get(pk=copy.pk)).data, 201)


class ProgressReport(APIView):
    @extend_schema(responses={200: serializer_of(CampaignReport)})
    def get(self, request: Request, pk: int) -> Response:
        """Return the progress of a campaign, by annotator and by day, its pace and skips, and the agreement."""
        return Response(as_json(campaign_report(get_object_or_404(visible_campaigns(request), pk=pk))))
