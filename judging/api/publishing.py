"""The HTTP API of packages to publish: the ZIP file that the command `publish` writes."""

from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.views import APIView

from evenhand.options import Option
from judging.services.publishing.croissant import Publication
from judging.services.publishing.package import Package, zip_parts
from judging.services.publishing.published_runs import published_runs
from judging.web.api_errors import ProblemsSerializer
from judging.web.api_input import options_in_query, request_of
from judging.web.downloads import CONTENT_TYPES, attachment
from judging.web.negotiation import FilesOrJson
from judging.web.visible_rows import visible_dataset, visible_runs

PACKAGE_OPTIONS = (
    Option(
        "Only these runs.",
        name="run",
        kind=int,
        takes_several=True,
        low=1,
        high=2**63 - 1,
        default=(),
        if_none="all that have ended",
    ),
    Option("Who made the dataset.", name="creator", takes_several=True, default=()),
    Option("Page of the dataset.", name="url", default=""),
)


class DatasetPackage(APIView):
    content_negotiation_class = FilesOrJson

    @extend_schema(
        parameters=[request_of(PACKAGE_OPTIONS, name="Package")],
        responses={(200, CONTENT_TYPES["zip"]): OpenApiTypes.BINARY, 400: ProblemsSerializer},
    )
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        """Return a package to publish: the dataset, votes under pseudonyms, judgments, a data card and metadata."""
        dataset = visible_dataset(request, pk)
        values = options_in_query(request, PACKAGE_OPTIONS)
        runs = published_runs(visible_runs(request).filter(dataset=dataset), values["run"] or None)
        package = Package(dataset, runs, Publication(values["creator"], values["url"]))
        return attachment(zip_parts(package, folder=dataset.name), name=f"{dataset.name}.zip")
