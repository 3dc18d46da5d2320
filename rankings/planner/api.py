"""The planner over HTTP: the JSON of the command `plan_votes`."""

from __future__ import annotations

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evenhand.refusals import Refused
from judging.models import Run
from judging.web.api_errors import ProblemsSerializer
from judging.web.role_checks import user_of
from judging.web.visible_rows import visible_dataset
from rankings.planner.forms import PlannerForm
from rankings.planner.vote_plan import VotePlan, vote_plan
from rankings.report.report_json import as_json
from rankings.report.report_serializers import serializer_of

PARAMETERS = [
    OpenApiParameter(
        "attribute", int, description="Id of the attribute; default: the first, or that of the campaign or run."
    ),
    OpenApiParameter("run", int, description="Run whose accuracy is wanted; default: agreement between people."),
    OpenApiParameter("like", int, description="Run whose probabilities stand for people; default: votes."),
    OpenApiParameter("campaign", int, description="Only its votes, and how many it still needs."),
    OpenApiParameter("width", float, description="Width of the 95 % interval; default: the campaign's, else 0.1."),
    OpenApiParameter("difference", float, description="Accuracy to be found in 80 of 100 studies, instead of a width."),
    OpenApiParameter("against", int, description="The other judge's run; default: another judge as accurate."),
    OpenApiParameter("pairs_per_person", int, description="Pairs that one person votes on; default 50."),
]


class DatasetPlanner(APIView):
    @extend_schema(parameters=PARAMETERS, responses={200: serializer_of(VotePlan), 400: ProblemsSerializer})
    def get(self, request: Request, pk: int) -> Response:
        """Return how many pairs, votes and people a wanted width, or a difference of two judges, needs."""
        dataset = visible_dataset(request, pk)
        form = PlannerForm(dataset, Run.objects.visible_to(user_of(request)), request.query_params)
        choice = form.choice()
        if choice is None:
            problems = [f"{name}: {error}" for name, errors in form.errors.items() for error in errors]
            raise Refused(*problems or ["attribute: the dataset has none"])
        return Response(as_json(vote_plan(choice)))
