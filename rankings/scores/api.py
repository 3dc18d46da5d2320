"""The HTTP API of scores: the JSON of the command `scores`."""

from __future__ import annotations

from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evenhand.numerics import RANKINGS
from judging.web.api_input import query_options
from judging.web.negotiation import FilesOrJson
from judging.web.visible_rows import visible_run
from rankings.report.api import LeftOutSerializer, exclusion_in
from rankings.report.api_files import LongFormSerializer, responses_of
from rankings.report.report_json import as_json
from rankings.report.report_serializers import serializer_of
from rankings.report.run_figures import SCORE
from rankings.scores.score_rows import ScoresReport, scores_long_form, scores_of
from rankings.tables.long_form import long_attachment


class RankingSerializer(LeftOutSerializer, LongFormSerializer):
    ranking = serializers.ChoiceField([*RANKINGS, SCORE])
    debias = serializers.BooleanField(default=False, help_text="Debias by the threshold or the shifts of the run.")
    average_orders = serializers.BooleanField(default=False, help_text="Use the mean of both orders of each pair.")


class RunScores(APIView):
    content_negotiation_class = FilesOrJson

    @extend_schema(parameters=[RankingSerializer], responses=responses_of(serializer_of(ScoresReport)))
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        """Return the score of every candidate, by one ranking."""
        run = visible_run(request, pk)
        chosen = query_options(RankingSerializer, request)
        ending = chosen.pop("long", None)
        chosen["exclusion"] = exclusion_in(chosen)
        report = scores_of(run, **chosen)
        if ending:
            return long_attachment(scores_long_form(run, report, **chosen), name=f"run-{pk}-scores", ending=ending)
        return Response(as_json(report))
