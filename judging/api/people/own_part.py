"""An annotator's own part in a campaign: consent before it, the completion code after it."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from judging.models import Campaign, CampaignState
from judging.services.invitations.completion import note_completed
from judging.services.invitations.consent import accept_consent, current_consent_text
from judging.web.api_errors import ProblemsSerializer
from judging.web.api_input import RequestSerializer, body_of
from judging.web.role_checks import user_of


class OwnConsentSerializer(serializers.Serializer[Any]):
    """The current consent text. version, text: null and empty if none is needed. accepted_at: null before."""

    version = serializers.IntegerField(allow_null=True)
    text = serializers.CharField()
    accepted_at = serializers.DateTimeField(allow_null=True)


class ConsentAcceptanceSerializer(RequestSerializer):
    version = serializers.IntegerField(help_text="The version that was shown.")


class CompletionSerializer(serializers.Serializer[Any]):
    """The end of one's part. code: null while pairs are left and without a code; empty if no pair was answered."""

    code = serializers.CharField(allow_null=True)


def own_joined_campaign(request: Request, pk: int) -> Campaign:
    """Return a campaign in which one takes part. Raises Http404 for any other."""
    user = user_of(request)
    return get_object_or_404(Campaign.objects.open_to(user).with_own_progress(user), pk=pk)


class OwnConsent(APIView):
    @extend_schema(responses={200: OwnConsentSerializer})
    def get(self, request: Request, pk: int) -> Response:
        """Return the consent text of a campaign. Voting needs it accepted."""
        return Response(own_consent(own_joined_campaign(request, pk), request))

    @extend_schema(request=ConsentAcceptanceSerializer, responses={200: OwnConsentSerializer, 400: ProblemsSerializer})
    def post(self, request: Request, pk: int) -> Response:
        """Accept the consent text. Refused if it has changed since it was read."""
        campaign = own_joined_campaign(request, pk)
        version = body_of(ConsentAcceptanceSerializer, request)["version"]
        accept_consent(campaign, annotator=user_of(request), version=version)
        return Response(own_consent(campaign, request))


class OwnCompletion(APIView):
    @extend_schema(responses={200: CompletionSerializer})
    def get(self, request: Request, pk: int) -> Response:
        """Return the completion code once no pair is left, or the campaign is closed."""
        campaign = own_joined_campaign(request, pk)
        left = campaign.state != CampaignState.CLOSED and campaign.own_left  # type: ignore[attr-defined]  # annotated
        completion = None if left else note_completed(campaign, annotator=user_of(request))
        return Response({"code": completion.code if completion else None})


def own_consent(campaign: Campaign, request: Request) -> dict[str, object]:
    text = current_consent_text(campaign)
    accepted = text.consents.filter(annotator=user_of(request)).first() if text else None
    return {
        "version": text.version if text else None,
        "text": text.text if text else "",
        "accepted_at": serializers.DateTimeField().to_representation(accepted.accepted_at) if accepted else None,
    }
