"""Asking people about the pairs that a judge is unsure about, by the HTTP API."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_201_CREATED

from evenhand.options import Option, read_options
from evenhand.report_json import as_json
from judging.services.campaigns.progress.campaign_report import MadeCampaign
from judging.web.api_errors import ProblemsSerializer
from judging.web.api_input import request_of, values_of_body
from judging.web.report_schema import serializer_of
from judging.web.role_checks import user_of
from judging.web.visible_rows import visible_run, visible_runs
from rankings.abstaining.abstaining_page import ANALYSIS
from rankings.abstaining.doubtful_campaign import ask_people
from rankings.analyses.api import api_view_of

NAME = Option('Default: "Doubtful pairs of run N".', name="name", longest=200, default="")
NewDoubtfulCampaignSerializer = request_of([*ANALYSIS.options, NAME], name="NewDoubtfulCampaign")


class RunAbstaining(api_view_of(ANALYSIS)):  # type: ignore[misc]
    @extend_schema(
        request=NewDoubtfulCampaignSerializer, responses={201: serializer_of(MadeCampaign), 400: ProblemsSerializer}
    )
    def post(self, request: Request, pk: int) -> Response:
        """Create a campaign with the doubtful pairs on which people have no preference."""
        run = visible_run(request, pk)
        sent = values_of_body(request.data)
        name = read_options([NAME], {"name": sent.pop("name", None)})["name"]
        campaign = ask_people(
            run, ANALYSIS.answer(run, values=sent, runs=visible_runs(request)), owner=user_of(request), name=name
        )
        made = MadeCampaign(campaign.pk, campaign.name, campaign.pairs.count())
        return Response(as_json(made), HTTP_201_CREATED)
