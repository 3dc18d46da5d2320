"""The HTTP API of a campaign's progress: the JSON of the command `campaign_progress`."""

from __future__ import annotations

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evenhand.report_json import as_json
from judging.api.labelling.campaigns import visible_campaigns
from judging.services.campaigns.progress.campaign_report import CampaignReport, campaign_report
from judging.web.report_serializers import serializer_of


class ProgressReport(APIView):
    @extend_schema(responses={200: serializer_of(CampaignReport)})
    def get(self, request: Request, pk: int) -> Response:
        """Return the progress of a campaign, by annotator and by day, its pace and skips, and the agreement."""
        return Response(as_json(campaign_report(get_object_or_404(visible_campaigns(request), pk=pk))))
