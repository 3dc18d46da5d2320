"""The HTTP API of a campaign's disputed pairs, and of a second round."""

from collections.abc import Sequence

from drf_spectacular.utils import extend_schema
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evenhand.options import Option, options_of, read_options
from evenhand.refusals import Refused
from evenhand.report_json import as_json
from judging.models import Campaign, Run
from judging.services.campaigns.progress.campaign_report import MadeCampaign
from judging.web.api_errors import ProblemsSerializer
from judging.web.api_input import options_in_query, request_of, values_of_body
from judging.web.paging import PART
from judging.web.report_schema import serializer_of
from judging.web.role_checks import ResearchersWrite, user_of
from judging.web.visible_rows import visible_campaign, visible_runs
from rankings.disputes.dispute_rows import DisputeReport, dispute_report, judging_runs
from rankings.disputes.disputed_pairs import FILTERS, DisputeChoice, find_disputes
from rankings.disputes.second_round import ROUND_OPTIONS, round_settings, start_second_round

_RUNS = Option("Runs whose answers to show; default: all.", name="run", kind=int, takes_several=True, low=1, default=())
DISPUTE_OPTIONS = (*options_of(DisputeChoice), _RUNS, *PART)


class CampaignDisputes(APIView):
    permission_classes = (IsAuthenticated, ResearchersWrite)

    @extend_schema(
        parameters=[request_of(DISPUTE_OPTIONS, name="DisputeOptions")],
        responses={200: serializer_of(DisputeReport), 400: ProblemsSerializer},
    )
    def get(self, request: Request, pk: int) -> Response:
        """Return the pairs on which people disagree, with their votes and the answers of judges."""
        campaign = visible_campaign(request, pk)
        options = options_in_query(request, DISPUTE_OPTIONS)
        runs = runs_to_show(
            campaign, options.pop("run"), list(visible_runs(request).ordinary().filter(dataset=campaign.dataset))
        )
        limit, offset = options.pop("limit"), options.pop("offset")
        disputes = find_disputes(campaign, DisputeChoice(**options))
        return Response(as_json(dispute_report(campaign, disputes, runs, start=offset, limit=limit)))

    @extend_schema(
        request=request_of([*FILTERS, *ROUND_OPTIONS], name="NewSecondRound"),
        responses={201: serializer_of(MadeCampaign), 400: ProblemsSerializer},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Start a second round: a campaign that asks other people about the chosen disputed pairs."""
        campaign, user, sent = visible_campaign(request, pk), user_of(request), values_of_body(request.data)
        choice = read_options(FILTERS, {one.name: sent.pop(one.name, None) for one in FILTERS})
        settings = round_settings(campaign, sent, user=user)
        pairs = find_disputes(campaign, DisputeChoice(**choice)).chosen
        created = start_second_round(campaign, pairs, user, **settings)
        return Response(as_json(MadeCampaign(created.pk, created.name, len(pairs))), 201)


def runs_to_show(campaign: Campaign, numbers: Sequence[int], runs: list[Run]) -> list[Run]:
    """Return the runs with these numbers; all without numbers. Raises Refused for other runs."""
    known = judging_runs(campaign, runs)
    if unknown := set(numbers) - {run.pk for run in known}:
        raise Refused(
            *(f"run: there is no run {number} that compares pairs on {campaign.attribute_names}" for number in unknown)
        )
    return [run for run in known if run.pk in numbers] if numbers else known
