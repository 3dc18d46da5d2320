"""The HTTP API of vote quality."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evenhand.report_json import as_json
from judging.web.report_schema import serializer_of
from judging.web.visible_rows import visible_dataset, visible_runs
from rankings.quality.quality_report import QualityReport, quality_report


class DatasetQuality(APIView):
    @extend_schema(responses=serializer_of(QualityReport)(many=True))
    def get(self, request: Request, pk: int) -> Response:
        """Return how carefully each person voted, for every attribute."""
        dataset = visible_dataset(request, pk)
        runs = list(visible_runs(request).ordinary().filter(dataset=dataset).order_by("pk"))
        return Response([as_json(quality_report(attribute, runs)) for attribute in dataset.attributes.all()])
