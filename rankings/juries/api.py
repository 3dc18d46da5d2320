"""The HTTP API of juries: the JSON of the command `jury`."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.status import HTTP_201_CREATED
from rest_framework.views import APIView

from evenhand.report_json import as_json
from judging.web.api_errors import ProblemsSerializer
from judging.web.api_input import request_of, values_of_body
from judging.web.report_schema import serializer_of
from judging.web.role_checks import user_of
from judging.web.visible_rows import visible_dataset, visible_runs
from rankings.juries.stored_juries import JURY_OPTIONS, JuryRow, juries_of, jury_settings, make_jury

JurySerializer = serializer_of(JuryRow)
NewJurySerializer = request_of(JURY_OPTIONS, name="NewJurySerializer")


class DatasetJuries(APIView):
    @extend_schema(responses=JurySerializer(many=True))
    def get(self, request: Request, pk: int) -> Response:
        """List the juries of a dataset that you may see, the latest first."""
        runs = visible_runs(request).filter(dataset=visible_dataset(request, pk)).order_by("pk")
        return Response([as_json(JuryRow.of(jury)) for jury in juries_of(list(runs))])

    @extend_schema(request=NewJurySerializer, responses={201: JurySerializer, 400: ProblemsSerializer})
    def post(self, request: Request, pk: int) -> Response:
        """Make a run of method jury from the comparisons that all of these runs answered."""
        dataset, user = visible_dataset(request, pk), user_of(request)
        jury = make_jury(user, **jury_settings(dataset, values_of_body(request.data), user=user))
        return Response(as_json(JuryRow.of(jury)), HTTP_201_CREATED)
