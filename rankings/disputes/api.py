"""The HTTP API of a campaign's disputed pairs, the JSON of the command `disputes`, and of a second round."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evenhand.refusals import Refused
from evenhand.report_json import as_json
from judging.models import Campaign, Run
from judging.web.api_errors import ProblemsSerializer
from judging.web.api_input import RequestSerializer, body_of, query_options
from judging.web.report_serializers import serializer_of
from judging.web.role_checks import ResearchersWrite, user_of
from judging.web.visible_rows import visible_campaign, visible_runs
from rankings.disputes.dispute_rows import DisputeReport, dispute_report, judging_runs
from rankings.disputes.disputed_pairs import DISPUTE_KINDS, DISPUTE_SORTS, DisputeChoice, find_disputes
from rankings.disputes.second_round import (
    SecondRound,
    people_named,
    people_to_offer,
    start_second_round,
    usual_votes,
)

MOST_DISPUTES = 1_000


class DisputeChoiceSerializer(RequestSerializer):
    """Filters of the disputed pairs, and the part to return."""

    kind = serializers.ListField(
        child=serializers.ChoiceField([(name, kind.meaning) for name, kind in DISPUTE_KINDS.items()]),
        default=list,
        help_text="Only pairs of all these kinds.",
    )
    context = serializers.CharField(default="", help_text="Identifier of a context.")  # type: ignore[assignment]
    system = serializers.CharField(default="", help_text="Only pairs with a text of this system.")
    rater = serializers.CharField(default="", help_text="Only pairs on which this person voted.")
    attribute = serializers.CharField(default="", help_text="Only pairs on this attribute.")
    sort = serializers.ChoiceField(list(DISPUTE_SORTS.items()), default="disagreement")
    run = serializers.ListField(
        child=serializers.IntegerField(min_value=1), default=list, help_text="Runs whose answers to show; default: all."
    )
    limit = serializers.IntegerField(
        min_value=1, max_value=MOST_DISPUTES, default=100, help_text="Pairs of one answer."
    )
    offset = serializers.IntegerField(min_value=0, default=0)


class NewSecondRoundSerializer(RequestSerializer):
    """The pairs of a second round, by the filters, and its people."""

    kind = serializers.ListField(
        child=serializers.ChoiceField([(name, kind.meaning) for name, kind in DISPUTE_KINDS.items()]), default=list
    )
    context = serializers.CharField(default="")  # type: ignore[assignment]
    system = serializers.CharField(default="")
    rater = serializers.CharField(default="")
    attribute = serializers.CharField(default="")
    annotators = serializers.ListField(child=serializers.CharField(), default=list, help_text="Usernames.")
    votes_per_pair = serializers.IntegerField(
        min_value=1, max_value=1_000, required=False, help_text="Default: makes the votes of both rounds odd."
    )
    name = serializers.CharField(max_length=200, default="", help_text='Default: "NAME, second round".')
    may_repeat = serializers.BooleanField(default=False, help_text="People may get pairs again that they saw before.")


class SecondRoundSerializer(serializers.Serializer[None]):
    campaign = serializers.IntegerField()
    name = serializers.CharField()
    pairs = serializers.IntegerField()


class CampaignDisputes(APIView):
    permission_classes = (IsAuthenticated, ResearchersWrite)

    @extend_schema(
        parameters=[DisputeChoiceSerializer], responses={200: serializer_of(DisputeReport), 400: ProblemsSerializer}
    )
    def get(self, request: Request, pk: int) -> Response:
        """Return the pairs on which people disagree, with their votes and the answers of judges."""
        campaign = visible_campaign(request, pk)
        options = query_options(DisputeChoiceSerializer, request)
        runs = runs_to_show(
            campaign, options.pop("run"), list(visible_runs(request).ordinary().filter(dataset=campaign.dataset))
        )
        limit, offset = options.pop("limit"), options.pop("offset")
        disputes = find_disputes(campaign, DisputeChoice(kinds=tuple(options.pop("kind")), **options))
        return Response(as_json(dispute_report(campaign, disputes, runs, start=offset, limit=limit)))

    @extend_schema(request=NewSecondRoundSerializer, responses={201: SecondRoundSerializer, 400: ProblemsSerializer})
    def post(self, request: Request, pk: int) -> Response:
        """Start a second round: a campaign that asks other people about the chosen disputed pairs."""
        campaign, values = visible_campaign(request, pk), body_of(NewSecondRoundSerializer, request)
        names = {name: values[name] for name in ("context", "system", "rater", "attribute")}
        pairs = find_disputes(campaign, DisputeChoice(tuple(values["kind"]), **names)).chosen
        votes = values.get("votes_per_pair", usual_votes(campaign))
        people = people_named(values["annotators"], people_to_offer(user_of(request), campaign))
        plan = SecondRound(people, votes, values["name"], values["may_repeat"])
        created = start_second_round(campaign, pairs, plan, created_by=user_of(request))
        return Response({"campaign": created.pk, "name": created.name, "pairs": len(pairs)}, 201)


def runs_to_show(campaign: Campaign, numbers: list[int], runs: list[Run]) -> list[Run]:
    """Return the runs with these numbers; all without numbers. Raises Refused for other runs."""
    known = judging_runs(campaign, runs)
    if unknown := set(numbers) - {run.pk for run in known}:
        raise Refused(
            *(f"run: there is no run {number} that compares pairs on {campaign.attribute_names}" for number in unknown)
        )
    return [run for run in known if run.pk in numbers] if numbers else known
