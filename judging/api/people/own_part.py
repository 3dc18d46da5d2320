"""An annotator's own part in a campaign: consent and training before it, the completion code after it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evenhand.options import Option
from evenhand.report_json import as_json
from judging.models import Campaign, Choice, TrainingPair
from judging.services.campaign_pairs.training import Feedback, answer_training_pair, next_training_pair, repeat_training
from judging.services.invitations.completion import note_completed
from judging.services.invitations.consent import accept_consent, current_consent_text
from judging.services.invitations.screening import screened_out
from judging.web.api_input import options_in_body, request_of
from judging.web.report_schema import serializer_of
from judging.web.role_checks import user_of


@dataclass(frozen=True, slots=True)
class ConsentToGive:
    """The current consent text. version, text: null and empty if none is needed. accepted_at: null before."""

    version: int | None = None
    text: str = ""
    accepted_at: datetime | None = None


ACCEPTANCE = (Option("The version that was shown.", name="version", kind=int),)
ConsentAcceptanceSerializer = request_of(ACCEPTANCE, name="ConsentAcceptanceSerializer")
TRAINING_ANSWER = (Option(name="number", kind=int, low=1), Option(name="choice", choices=dict(Choice.choices)))
TrainingAnswerSerializer = request_of(TRAINING_ANSWER, name="TrainingAnswerSerializer")


class CompletionSerializer(serializers.Serializer[Any]):
    """The end of one's part. code: null while pairs are left and without a code; empty if votes are missing for it."""

    code = serializers.CharField(allow_null=True)
    missing = serializers.CharField(help_text="What is missing for the code, in a sentence; empty if nothing is.")


def own_joined_campaign(request: Request, pk: int) -> Campaign:
    """Return a campaign in which one takes part. Raises Http404 for any other."""
    user = user_of(request)
    return get_object_or_404(Campaign.objects.open_to(user).with_own_progress(user), pk=pk)


class OwnConsent(APIView):
    @extend_schema(responses={200: serializer_of(ConsentToGive)})
    def get(self, request: Request, pk: int) -> Response:
        """Return the consent text of a campaign. Voting needs it accepted."""
        return Response(as_json(own_consent(own_joined_campaign(request, pk), request)))

    @extend_schema(request=ConsentAcceptanceSerializer, responses={200: serializer_of(ConsentToGive)})
    def post(self, request: Request, pk: int) -> Response:
        """Accept the consent text. Refused if it has changed since it was read."""
        campaign = own_joined_campaign(request, pk)
        accept_consent(campaign, annotator=user_of(request), **options_in_body(request, ACCEPTANCE))
        return Response(as_json(own_consent(campaign, request)))


class OwnCompletion(APIView):
    @extend_schema(responses={200: CompletionSerializer})
    def get(self, request: Request, pk: int) -> Response:
        """Return the completion code once no pair is left, or the campaign is closed."""
        campaign, user = own_joined_campaign(request, pk), user_of(request)
        is_over = campaign.is_closed or user.pk in screened_out(campaign, user)
        left = not is_over and campaign.own_progress.left
        completion = None if left else note_completed(campaign, annotator=user)
        missing = completion.missing if completion else ""
        return Response({"code": completion.code if completion else None, "missing": missing})


def own_consent(campaign: Campaign, request: Request) -> ConsentToGive:
    text = current_consent_text(campaign)
    if text is None:
        return ConsentToGive()
    accepted = text.consents.filter(annotator=user_of(request)).first()
    return ConsentToGive(text.version, text.text, accepted.accepted_at if accepted else None)


class TrainingPairSerializer(serializers.Serializer[Any]):
    """A training pair in the order in which this annotator sees it. number: from 1, of `total`."""

    number = serializers.IntegerField()
    total = serializers.IntegerField()
    context = serializers.CharField(source="pair.one.context.text")  # type: ignore[assignment]  # a field of the row
    first = serializers.CharField(source="first.text")
    second = serializers.CharField(source="second.text")


class OwnTraining(APIView):
    @extend_schema(
        responses={200: TrainingPairSerializer, 204: OpenApiResponse(description="No training pair is left.")}
    )
    def get(self, request: Request, pk: int) -> Response:
        """Return the next training pair. Voting needs all of them answered."""
        shown = next_training_pair(own_joined_campaign(request, pk), user_of(request))
        return Response(TrainingPairSerializer(shown).data) if shown else Response(status=204)

    @extend_schema(request=TrainingAnswerSerializer, responses={200: serializer_of(Feedback)})
    def post(self, request: Request, pk: int) -> Response:
        """Answer a training pair, and return the known answer. The first answer counts."""
        campaign, values = own_joined_campaign(request, pk), options_in_body(request, TRAINING_ANSWER)
        pairs = TrainingPair.objects.filter(campaign=campaign).select_related("campaign")
        pair = get_object_or_404(pairs, position=values["number"] - 1)
        feedback = answer_training_pair(pair, user_of(request), choice=values["choice"])
        return Response(as_json(feedback))

    @extend_schema(responses={204: None})
    def delete(self, request: Request, pk: int) -> Response:
        """Begin the training again, after too few right answers for the campaign's pass mark."""
        repeat_training(own_joined_campaign(request, pk), user_of(request))
        return Response(status=204)
