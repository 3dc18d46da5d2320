"""Campaigns: the list, one campaign with its progress, creating, changing, copying and deleting one."""

from __future__ import annotations

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import generics
from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evenhand.options import options_of
from judging.api.labelling.campaign_requests import (
    CampaignChangeSerializer,
    NewCampaignSerializer,
    changes_in,
    create_from,
)
from judging.api.labelling.campaign_rows import CampaignDetailSerializer, CampaignSerializer
from judging.models import Campaign
from judging.services.campaigns.campaign_changes import change_campaign
from judging.services.campaigns.campaign_copies import copy_campaign
from judging.services.campaigns.campaign_setup import discard_campaign
from judging.services.invitations.campaign_people import annotators_to_offer
from judging.web.api_errors import ProblemsSerializer
from judging.web.api_input import request_of, sent_options
from judging.web.options import Offered, find_rows
from judging.web.role_checks import ResearchersWrite, for_researchers, user_of


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
        campaign = create_from(request.data, user=user_of(request))
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
    def patch(self, request: Request, pk: int) -> Response:
        """Change a campaign. For its creator and admins."""
        campaign = self.get_editable()
        user = user_of(request)
        change_campaign(campaign, changes_in(request.data, campaign, user=user), changed_by=user)
        return Response(CampaignDetailSerializer(self.get_object()).data)

    @extend_schema(responses={204: None, 400: ProblemsSerializer})
    def delete(self, request: Request, pk: int) -> Response:
        """Delete a campaign without votes. For its creator and admins."""
        discard_campaign(self.get_editable())
        return Response(status=204)


CopySerializer = request_of(options_of(copy_campaign), name="CopySerializer")


class CampaignCopy(APIView):
    permission_classes = (IsAuthenticated, ResearchersWrite)

    @extend_schema(request=CopySerializer, responses={201: CampaignDetailSerializer, 400: ProblemsSerializer})
    def post(self, request: Request, pk: int) -> Response:
        """Make a draft with the settings, guidelines, consent text, gold and training pairs, and a fresh seed."""
        campaign = get_object_or_404(visible_campaigns(request), pk=pk)
        read, user = sent_options(request, copy_campaign), user_of(request)
        people = find_rows(options_of(copy_campaign), read, {"annotator": Offered(annotators_to_offer(user))})
        copy = copy_campaign(campaign, user, **read | people)
        return Response(CampaignDetailSerializer(visible_campaigns(request).get(pk=copy.pk)).data, 201)
