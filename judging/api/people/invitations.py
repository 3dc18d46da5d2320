"""The people of a campaign, for its creator and admins: invitations, consent text, and who came in. Joining."""

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evenhand.formats.people_files import read_people
from evenhand.options import Option, options_of, read_options
from evenhand.refusals import Refused
from evenhand.report_json import as_json
from judging.models import Campaign, ConsentText, Invitation
from judging.services.invitations.campaign_people import (
    CampaignPerson,
    PersonBehind,
    PersonToPay,
    identify_person,
    people_in_campaign,
    people_to_pay,
    remove_person,
    stop_person,
    take_back_person,
)
from judging.services.invitations.consent import consent_versions, set_consent_text
from judging.services.invitations.invitation_setup import create_invitation, invite_people, withdraw_invitation
from judging.services.invitations.joining import CannotJoin, join_campaign
from judging.services.invitations.messages import Mailed, message_people
from judging.web.addresses_to_send import address_to_send, voting_address
from judging.web.api_input import options_in_body, request_of, sent_options, values_of_body
from judging.web.report_schema import serializer_of
from judging.web.role_checks import for_researchers, user_of
from judging.web.uploaded_files import sent_file


class InvitationSerializer(serializers.ModelSerializer[Invitation]):
    """An invitation. link: the address to send. people: who came in by it. state: open, expired, withdrawn, used up."""

    link = serializers.SerializerMethodField()
    people = serializers.IntegerField(source="people_count")
    state = serializers.CharField()

    class Meta:
        model = Invitation
        fields = [
            *("id", "link", "admission", "signed_only", "person", "people", "most_people", "most_pairs", "expires_at"),
            *("completion_code", "screening_code", "state", "created_at"),
        ]

    def get_link(self, invitation: Invitation) -> str:
        return address_to_send(self.context["request"], invitation)


NewInvitationSerializer = request_of(options_of(create_invitation), name="NewInvitationSerializer")


class PeopleFileSerializer(request_of(options_of(invite_people), name="LinkLimitsSerializer")):  # type: ignore[misc]
    """A CSV with the column name, email, or both. All people are invited, or nobody."""

    file = serializers.FileField()


class InvitedPeopleSerializer(serializers.Serializer[Any]):
    """added: usernames of people with an account, who take part now. invited: links for the others."""

    added = serializers.ListField(child=serializers.CharField())
    invited = InvitationSerializer(many=True)


INVITATION_CHANGE = (Option("true closes the link; it cannot be opened again.", name="withdrawn", kind=bool),)
InvitationChangeSerializer = request_of(INVITATION_CHANGE, name="InvitationChangeSerializer")
PERSON_CHANGE = (Option(name="takes_part", kind=bool),)
PersonChangeSerializer = request_of(PERSON_CHANGE, name="PersonChangeSerializer")
MessageSerializer = request_of(options_of(message_people), name="MessageSerializer")
PseudonymSerializer = request_of(options_of(identify_person), name="PseudonymSerializer")


class JoinedSerializer(serializers.Serializer[Any]):
    campaign = serializers.IntegerField(help_text="Its id, for own-campaigns/ID/.")
    name = serializers.CharField()


def campaign_to_invite(request: Request, pk: int) -> Campaign:
    """Return a campaign to which this person may invite. Raises Http404 for any other."""
    return get_object_or_404(for_researchers(Campaign.objects.editable_by(user_of(request)), request), pk=pk)


class InvitationRows(generics.GenericAPIView[Invitation]):
    serializer_class = InvitationSerializer
    queryset = Invitation.objects.all()

    def get_queryset(self) -> QuerySet[Invitation]:
        return campaign_to_invite(self.request, self.kwargs["pk"]).invitations.with_counts()


class InvitationList(InvitationRows, generics.ListAPIView[Invitation]):
    """The invitations of a campaign, the latest first."""

    @extend_schema(request=NewInvitationSerializer, responses={201: InvitationSerializer})
    def post(self, request: Request, pk: int) -> Response:
        """Create a link for several people."""
        campaign = campaign_to_invite(request, pk)
        invitation = create_invitation(campaign, user_of(request), **sent_options(request, create_invitation))
        return Response(self.get_serializer(self.get_queryset().get(pk=invitation.pk)).data, 201)


class InvitationDetail(InvitationRows, generics.RetrieveAPIView[Invitation]):
    lookup_url_kwarg = "invitation"

    @extend_schema(request=InvitationChangeSerializer, responses={200: InvitationSerializer})
    def patch(self, request: Request, pk: int, invitation: int) -> Response:
        """Withdraw an invitation. People who came in by it stay."""
        found = self.get_object()
        if not options_in_body(request, INVITATION_CHANGE)["withdrawn"]:
            raise Refused("withdrawn: false — a withdrawn link stays closed; create another one")
        withdraw_invitation(found)
        return Response(self.get_serializer(self.get_object()).data)


class PeopleUpload(APIView):
    @extend_schema(request={"multipart/form-data": PeopleFileSerializer}, responses={201: InvitedPeopleSerializer})
    def post(self, request: Request, pk: int) -> Response:
        """Invite the people of a table: those with an account take part at once, the others get links."""
        campaign, values = campaign_to_invite(request, pk), values_of_body(request.data)
        file = sent_file(values.pop("file", None))
        limits = read_options(options_of(invite_people), values)
        result = invite_people(campaign, read_people(file), user_of(request), **limits)
        created = Invitation.objects.with_counts().filter(pk__in=[one.pk for one in result.invited]).order_by("pk")
        invited = InvitationSerializer(created, many=True, context={"request": request}).data
        return Response({"added": [one.get_username() for one in result.added], "invited": invited}, 201)


class CampaignPeople(APIView):
    @extend_schema(responses={200: serializer_of(CampaignPerson)(many=True)})
    def get(self, request: Request, pk: int) -> Response:
        """Return the people of a campaign, in order of coming."""
        return Response(as_json(people_in_campaign(campaign_to_invite(request, pk))))


class CampaignPersonDetail(APIView):
    @extend_schema(request=PersonChangeSerializer, responses={200: serializer_of(CampaignPerson)(many=True)})
    def patch(self, request: Request, pk: int, enrolment: int) -> Response:
        """Remove a person who came in by an invitation, or take them back. Returns the people of the campaign."""
        campaign = campaign_to_invite(request, pk)
        person = get_object_or_404(campaign.enrolments.select_related("annotator"), pk=enrolment)
        takes_part = options_in_body(request, PERSON_CHANGE)["takes_part"]
        (take_back_person if takes_part else remove_person)(person)
        return Response(as_json(people_in_campaign(campaign)))


class CampaignPersonBehind(APIView):
    @extend_schema(request=PseudonymSerializer, responses={200: serializer_of(PersonBehind)()})
    def post(self, request: Request, pk: int) -> Response:
        """Return the person behind a pseudonym, to pay, reject or block them. The activity notes who asked."""
        campaign = campaign_to_invite(request, pk)
        return Response(as_json(identify_person(campaign, **sent_options(request, identify_person))))


class CampaignPersonStopped(APIView):
    @extend_schema(request=PseudonymSerializer, responses={204: None})
    def post(self, request: Request, pk: int) -> Response:
        """Take the person behind a pseudonym out of a campaign. Votes stay in figures, and no link leads back in."""
        stop_person(campaign_to_invite(request, pk), **sent_options(request, stop_person))
        return Response(status=204)


class CampaignPeopleMessaged(APIView):
    @extend_schema(request=MessageSerializer, responses={200: serializer_of(Mailed)()})
    def post(self, request: Request, pk: int) -> Response:
        """Mail people who take part, each at most once in 20 hours."""
        campaign = campaign_to_invite(request, pk)
        sent = sent_options(request, message_people)
        return Response(as_json(message_people(campaign, voting_address(request, campaign), **sent)))


class CampaignPeopleToPay(APIView):
    @extend_schema(request=None, responses={200: serializer_of(PersonToPay)(many=True)})
    def post(self, request: Request, pk: int) -> Response:
        """Return what each person did, by name and pseudonym. The activity notes who asked."""
        return Response(as_json(people_to_pay(campaign_to_invite(request, pk))))


class Joining(APIView):
    """Join a campaign by the code of an invitation, with the account of the token."""

    @extend_schema(request=None, responses={200: JoinedSerializer})
    def post(self, request: Request, code: str) -> Response:
        """Join a campaign. The code is the last part of an invitation's link. Platforms' links need a browser."""
        invitation = get_object_or_404(Invitation.objects.select_related("campaign"), code=code)
        if invitation.admission == Invitation.Admission.PLATFORM:
            raise Refused("code: this invitation is for participants of a platform; open its link in a browser")
        try:
            join_campaign(invitation, annotator=user_of(request))
        except CannotJoin as refusal:
            raise Refused(f"code: {refusal}") from refusal
        return Response({"campaign": invitation.campaign_id, "name": invitation.campaign.name})


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

    @extend_schema(request=NewConsentTextSerializer, responses={200: ConsentTextSerializer(many=True)})
    def post(self, request: Request, pk: int) -> Response:
        """Change the text. The same text makes no new version."""
        campaign = campaign_to_invite(request, pk)
        set_consent_text(campaign, user_of(request), **sent_options(request, set_consent_text))
        return Response(ConsentTextSerializer(consent_versions(campaign), many=True).data)
