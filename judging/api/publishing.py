"""The HTTP API of packages to publish: the ZIP file that the command `publish` writes."""

from __future__ import annotations

from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.views import APIView

from judging.services.publishing.croissant import Publication
from judging.services.publishing.package import Package, zip_parts
from judging.services.publishing.published_runs import published_runs
from judging.web.api_errors import ProblemsSerializer
from judging.web.api_input import RequestSerializer, query_options
from judging.web.downloads import CONTENT_TYPES, attachment
from judging.web.negotiation import FilesOrJson
from judging.web.visible_rows import visible_dataset, visible_runs

_LARGEST_KEY = 2**63 - 1


class PackageSerializer(RequestSerializer):
    run = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=_LARGEST_KEY),
        required=False,
        help_text="Only these runs; default: all that have ended.",
    )
    creator = serializers.ListField(child=serializers.CharField(), default=list, help_text="Who made the dataset.")
    url = serializers.URLField(default="", help_text="Page of the dataset.")


class DatasetPackage(APIView):
    content_negotiation_class = FilesOrJson

    @extend_schema(
        parameters=[PackageSerializer],
        responses={(200, CONTENT_TYPES["zip"]): OpenApiTypes.BINARY, 400: ProblemsSerializer},
    )
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        """Return a package to publish: the dataset, votes under pseudonyms, judgments, a data card and metadata."""
        dataset = visible_dataset(request, pk)
        values = query_options(PackageSerializer, request)
        runs = published_runs(visible_runs(request).filter(dataset=dataset), values.get("run"))
        package = Package(dataset, runs, Publication(tuple(values["creator"]), values["url"]))
        return attachment(zip_parts(package, folder=dataset.name), name=f"{dataset.name}.zip")
