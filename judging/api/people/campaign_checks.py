"""Pairs with known answers, for the creator of a campaign and admins: gold pairs, training, decisions."""

from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evenhand.formats.checked_rows import MAX_KEY_LENGTH
from evenhand.formats.recorded.known_pairs import KNOWN_ANSWERS, LONGEST_EXPLANATION, MOST_KNOWN_PAIRS, KnownPair
from evenhand.options import options_of
from evenhand.refusals import Refused
from evenhand.report_json import as_json
from judging.api.people.invitations import campaign_to_invite
from judging.services.campaign_pairs.gold_pairs import add_gold_pairs, add_unanimous_pairs, set_check_shares
from judging.services.campaign_pairs.training import MOST_TRAINING_PAIRS, set_training_pairs
from judging.services.campaigns.pair_decisions import PairDecided, decide_pairs, decisions_of
from judging.services.campaigns.progress.labelling_effort import CampaignChecks
from judging.web.api_input import RequestSerializer, body_of, request_of, sent_options, values_of_body
from judging.web.report_schema import serializer_of
from judging.web.role_checks import user_of
from judging.web.visible_rows import visible_campaign

EITHER = "pairs: give pairs, or the number of unanimous pairs, not both"


CampaignChecksSerializer = serializer_of(CampaignChecks)
CheckSharesSerializer = request_of(options_of(set_check_shares), name="CheckSharesSerializer")


class AskedPairSerializer(RequestSerializer):
    """A pair, by the keys of its context and candidates."""

    context = serializers.CharField(max_length=MAX_KEY_LENGTH)  # type: ignore[assignment]  # a field of the row
    first = serializers.CharField(max_length=MAX_KEY_LENGTH)
    second = serializers.CharField(max_length=MAX_KEY_LENGTH)
    attribute = serializers.CharField(
        max_length=MAX_KEY_LENGTH, default="", allow_blank=True, help_text="Needed where the campaign has several."
    )


class KnownPairSerializer(AskedPairSerializer):
    """A pair with its answer."""

    answer = serializers.ChoiceField([(answer, answer) for answer in KNOWN_ANSWERS])


class NewTrainingPairSerializer(KnownPairSerializer):
    """A training pair. explanation: shown to annotators after their answer."""

    explanation = serializers.CharField(max_length=LONGEST_EXPLANATION, allow_blank=True, default="")


class NewTrainingPairsSerializer(RequestSerializer):
    """All training pairs of a campaign, in the order in which annotators see them."""

    pairs = serializers.ListField(child=NewTrainingPairSerializer(), max_length=MOST_TRAINING_PAIRS)


class KnownPairsSerializer(RequestSerializer):
    pairs = serializers.ListField(child=KnownPairSerializer(), max_length=MOST_KNOWN_PAIRS)


NEW_GOLD_PAIRS = PolymorphicProxySerializer(
    "NewGoldPairs",
    [KnownPairsSerializer, request_of(options_of(add_unanimous_pairs), name="UnanimousSerializer")],
    None,
)
"""Gold pairs by name, or drawn from the pairs on which all people agree."""


class CampaignChecksView(APIView):
    @extend_schema(responses={200: CampaignChecksSerializer})
    def get(self, request: Request, pk: int) -> Response:
        """Return the gold pairs and repeats of a campaign. For its creator and admins."""
        return Response(as_json(CampaignChecks.of(campaign_to_invite(request, pk))))

    @extend_schema(request=CheckSharesSerializer, responses={200: CampaignChecksSerializer})
    def patch(self, request: Request, pk: int) -> Response:
        """Change how often annotators get repeats and gold pairs, and the pass mark of the training."""
        campaign = campaign_to_invite(request, pk)
        set_check_shares(campaign, **sent_options(request, set_check_shares))
        return Response(as_json(CampaignChecks.of(campaign)))


class GoldPairs(APIView):
    @extend_schema(request=NEW_GOLD_PAIRS, responses={201: CampaignChecksSerializer})
    def post(self, request: Request, pk: int) -> Response:
        """Add gold pairs, all of them or none."""
        campaign, values = campaign_to_invite(request, pk), values_of_body(request.data)
        if ("pairs" in values) == ("unanimous" in values):
            raise Refused(EITHER)
        if "pairs" in values:
            pairs = body_of(KnownPairsSerializer, request)["pairs"]
            add_gold_pairs(campaign, [KnownPair(**pair) for pair in pairs])
        else:
            add_unanimous_pairs(campaign, **sent_options(request, add_unanimous_pairs))
        return Response(as_json(CampaignChecks.of(campaign)), 201)


class TrainingPairs(APIView):
    @extend_schema(request=NewTrainingPairsSerializer, responses={200: CampaignChecksSerializer})
    def put(self, request: Request, pk: int) -> Response:
        """Replace the training pairs of a campaign, until the first annotator has answered one."""
        campaign = campaign_to_invite(request, pk)
        pairs = body_of(NewTrainingPairsSerializer, request)["pairs"]
        set_training_pairs(campaign, [KnownPair(**pair) for pair in pairs])
        return Response(as_json(CampaignChecks.of(campaign)))


class DecidedPairSerializer(AskedPairSerializer):
    """A pair and its answer; null takes the decision back."""

    answer = serializers.ChoiceField(KNOWN_ANSWERS, allow_null=True)
    explanation = serializers.CharField(max_length=LONGEST_EXPLANATION, allow_blank=True, default="")


class DecidedPairsSerializer(RequestSerializer):
    pairs = serializers.ListField(child=DecidedPairSerializer(), max_length=MOST_KNOWN_PAIRS)


class CampaignDecisions(APIView):
    @extend_schema(responses={200: serializer_of(PairDecided)(many=True)})
    def get(self, request: Request, pk: int) -> Response:
        """Return the decisions on pairs, which stand apart from votes."""
        return Response(as_json(decisions_of(visible_campaign(request, pk))))

    @extend_schema(request=DecidedPairsSerializer, responses={200: serializer_of(PairDecided)(many=True)})
    def post(self, request: Request, pk: int) -> Response:
        """Store decisions on pairs of a campaign, all of them or none. For its creator and admins."""
        campaign, pairs = campaign_to_invite(request, pk), body_of(DecidedPairsSerializer, request)["pairs"]
        named = [KnownPair(**pair | {"answer": pair["answer"] or ""}) for pair in pairs]
        decide_pairs(campaign, named, decided_by=user_of(request))
        return Response(as_json(decisions_of(campaign)))
