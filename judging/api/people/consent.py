"""The consent text of a campaign, for its creator and admins."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evenhand.options import options_of
from judging.api.people.invitations import campaign_to_invite
from judging.models import ConsentText
from judging.services.invitations.consent import consent_versions, set_consent_text
from judging.web.api_errors import ProblemsSerializer
from judging.web.api_input import request_of, sent_options
from judging.web.role_checks import user_of


class ConsentTextSerializer(serializers.ModelSerializer[ConsentText]):
    """A version of a consent text. accepted: number of annotators who accepted it."""

    accepted = serializers.IntegerField(source="accepted_count")

    class Meta:
        model = ConsentText
        fields = ["version", "text", "created_at", "accepted"]


NewConsentTextSerializer = request_of(options_of(set_consent_text), name="NewConsentTextSerializer")


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
        set_consent_text(campaign, user_of(request), **sent_options(request, set_consent_text))
        return Response(ConsentTextSerializer(consent_versions(campaign), many=True).data)
