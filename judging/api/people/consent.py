"""The consent text of a campaign, for its creator and admins."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from judging.api.people.invitations import campaign_to_invite
from judging.models import ConsentText
from judging.services.invitations.consent import consent_versions, set_consent_text
from judging.web.api_errors import ProblemsSerializer
from judging.web.api_input import RequestSerializer, body_of
from judging.web.role_checks import user_of


class ConsentTextSerializer(serializers.ModelSerializer[ConsentText]):
    """A version of a consent text. accepted: number of annotators who accepted it."""

    accepted = serializers.IntegerField(source="accepted_count")

    class Meta:
        model = ConsentText
        fields = ["version", "text", "created_at", "accepted"]


class NewConsentTextSerializer(RequestSerializer):
    """A new version of the text, in Markdown; empty to ask for no consent. Everybody is asked again."""

    text = serializers.CharField(allow_blank=True, trim_whitespace=False)


class CampaignConsent(APIView):
    @extend_schema(responses={200: ConsentTextSerializer(many=True)})
    def get(self, request: Request, pk: int) -> Response:
        """Return the versions of the text, the latest first."""
        return Response(ConsentTextSerializer(consent_versions(campaign_to_invite(request, pk)), many=True).data)

    @extend_schema(
        request=NewConsentTextSerializer, responses={200: ConsentTextSerializer(many=True), 400: ProblemsSerializer}
    )
    def post(self, request: Request, pk: int) -> Response:
        """Change the text. The same text makes no new version."""
        campaign = campaign_to_invite(request, pk)
        set_consent_text(campaign, text=body_of(NewConsentTextSerializer, request)["text"], created_by=user_of(request))
        return Response(ConsentTextSerializer(consent_versions(campaign), many=True).data)
