"""Datasets with their contexts and candidates: upload, download, and packages to publish."""

from collections import defaultdict
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.parsers import MultiPartParser
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evenhand.formats import write_dataset
from evenhand.options import Option, options_of, read_options
from judging.api.uploads import DRY_RUN, ReadingSerializer, UploadedFilesSerializer, UploadSerializer
from judging.models import Attribute, Candidate, Context, Dataset, User
from judging.services.datasets.dataset_changes import share_dataset, split_dataset
from judging.services.datasets.stored_dataset import dataset_record
from judging.services.publishing.croissant import Publication
from judging.services.publishing.package import Package, zip_parts
from judging.services.publishing.published_runs import published_runs
from judging.web.api_files import FilesOrJson
from judging.web.api_input import body_of, options_in_query, request_of, sent_options, values_of_body
from judging.web.downloads import CONTENT_TYPES, attachment
from judging.web.operations.new_datasets import SHARING_OPTIONS, dataset_settings, describe_files, import_files
from judging.web.role_checks import ResearchersWrite, user_of
from judging.web.uploaded_files import source_file
from judging.web.visible_rows import changeable_dataset, visible_dataset, visible_runs

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
        responses={(200, CONTENT_TYPES["zip"]): OpenApiTypes.BINARY},
    )
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        """Return a package to publish: the dataset, votes under pseudonyms, judgments, a data card and metadata."""
        dataset = visible_dataset(request, pk)
        values = options_in_query(request, PACKAGE_OPTIONS)
        runs = published_runs(visible_runs(request).filter(dataset=dataset), values["run"] or None)
        package = Package(dataset, runs, Publication(values["creator"], values["url"]))
        return attachment(zip_parts(package, folder=dataset.name), name=f"{dataset.name}.zip")


class AttributeSerializer(serializers.ModelSerializer[Attribute]):
    class Meta:
        model = Attribute
        fields = ["name", "adjective", "definition", "minimum", "maximum"]


class DatasetSerializer(serializers.ModelSerializer[Dataset]):
    """A dataset. contexts, candidates: their numbers.

    owner: who uploaded it; null for the command line. visibility: private, shared or open. shared_with: usernames.
    """

    owner = serializers.CharField(source="owner.username", default=None, allow_null=True)
    shared_with: serializers.SlugRelatedField[User] = serializers.SlugRelatedField(
        "username", many=True, read_only=True
    )
    attributes = AttributeSerializer(many=True)
    contexts = serializers.IntegerField(source="context_count")
    candidates = serializers.IntegerField(source="candidate_count")

    class Meta:
        model = Dataset
        fields = [
            *("id", "name", "description", "licence", "context_noun", "candidate_noun", "source_format"),
            *("sha256", "size", "context_fields", "split", "mapping", "owner", "visibility", "shared_with"),
            *("created_at", "attributes", "contexts", "candidates"),
        ]


class StoredDatasetSerializer(DatasetSerializer):
    """A dataset just saved. warnings: data that is allowed, but may be a mistake."""

    warnings = serializers.ListField(child=serializers.CharField())

    class Meta(DatasetSerializer.Meta):
        fields = [*DatasetSerializer.Meta.fields, "warnings"]


class SplitSerializer(serializers.Serializer[None]):
    """Seed of the split, share of contexts to test on, and the contexts of each part."""

    seed = serializers.IntegerField()
    test_share = serializers.FloatField()
    development = serializers.IntegerField()
    test = serializers.IntegerField()


NewSplitSerializer = request_of(options_of(split_dataset), name="NewSplitSerializer")


class CandidateSerializer(serializers.ModelSerializer[Candidate]):
    """A candidate. scores: the dataset's human scores by attribute; ratings: by attribute and rater."""

    context = serializers.CharField(source="context.key")  # type: ignore[assignment]  # a field of the row
    candidate = serializers.CharField(source="key")
    scores = serializers.SerializerMethodField()
    ratings = serializers.SerializerMethodField()

    class Meta:
        model = Candidate
        fields = ["id", "context", "candidate", "system", "text", "scores", "ratings"]

    def get_scores(self, candidate: Candidate) -> dict[str, float]:
        return {score.attribute.name: score.value for score in candidate.human_scores.all() if not score.rater}

    def get_ratings(self, candidate: Candidate) -> dict[str, dict[str, float]]:
        ratings: dict[str, dict[str, float]] = defaultdict(dict)
        for score in candidate.human_scores.all():
            if score.rater:
                ratings[score.attribute.name][score.rater] = score.value
        return ratings


class ContextSerializer(serializers.ModelSerializer[Context]):
    """A context. candidates: their identifiers."""

    context = serializers.CharField(source="key")  # type: ignore[assignment]  # a field of the row
    candidates: serializers.SlugRelatedField[Candidate] = serializers.SlugRelatedField("key", many=True, read_only=True)

    class Meta:
        model = Context
        fields = ["id", "context", "text", "subset", "fields", "reference", "candidates"]


class ContextFilter(filters.FilterSet):
    subset = filters.CharFilter()
    context = filters.CharFilter("key")


class CandidateFilter(filters.FilterSet):
    context = filters.CharFilter("context__key")
    system = filters.CharFilter()


def visible_datasets(request: Request) -> QuerySet[Dataset]:
    datasets = Dataset.objects.visible_to(user_of(request)).with_counts().select_related("owner")
    return datasets.prefetch_related("attributes", "shared_with")


class DatasetSplit(APIView):
    @extend_schema(request=NewSplitSerializer, responses={201: SplitSerializer})
    def post(self, request: Request, pk: int) -> Response:
        """Split the contexts into a development part and a test part, once."""
        dataset = changeable_dataset(request, pk)
        split_dataset(dataset, **sent_options(request, split_dataset))
        return Response(dataset.split, status=201)


class DatasetRows(generics.GenericAPIView[Dataset]):
    serializer_class = DatasetSerializer
    permission_classes = (IsAuthenticated, ResearchersWrite)
    queryset = Dataset.objects.all()

    def get_queryset(self) -> QuerySet[Dataset]:
        return visible_datasets(self.request)


class DatasetList(DatasetRows, generics.ListAPIView[Dataset]):
    """The datasets that one may see."""

    parser_classes = (MultiPartParser,)

    @extend_schema(request=UploadSerializer, responses={200: ReadingSerializer, 201: StoredDatasetSerializer})
    def post(self, request: Request) -> Response:
        """Save a dataset, or nothing. The answer lists the problems of its files. A dry run saves nothing."""
        values = values_of_body(request.data)
        files = [source_file(file) for file in body_of(UploadedFilesSerializer, request)["files"]]
        values.pop("files")
        person: dict[str, Any] = {"owner": user_of(request), "user": user_of(request)}
        if read_options([DRY_RUN], {"dry_run": values.pop("dry_run", None)})["dry_run"]:
            return Response(describe_files(files, values, max_bytes=settings.MAX_UPLOAD_BYTES, **person))
        imported = import_files(files, values, max_bytes=settings.MAX_UPLOAD_BYTES, **person)
        saved = DatasetSerializer(visible_datasets(request).get(pk=imported.dataset.pk)).data
        return Response(saved | {"warnings": imported.warnings}, 201)


SharingSerializer = request_of(SHARING_OPTIONS, name="SharingSerializer")


class DatasetDetail(DatasetRows, generics.RetrieveAPIView[Dataset]):
    def get_changeable(self) -> Dataset:
        """Return the dataset if this person may change it. Raises PermissionDenied otherwise."""
        dataset = self.get_object()
        if not Dataset.objects.changeable_by(user_of(self.request)).filter(pk=dataset.pk).exists():
            raise PermissionDenied("only its owner and admins may change a dataset")
        return dataset

    @extend_schema(request=SharingSerializer, responses={200: DatasetSerializer})
    def patch(self, request: Request, pk: int) -> Response:
        """Change who may see a dataset. For its owner and admins."""
        dataset = self.get_changeable()
        sent = values_of_body(request.data)
        person = {"owner": dataset.owner, "user": user_of(request)}
        share_dataset(dataset, **dataset_settings(sent, options=SHARING_OPTIONS, **person))
        return Response(DatasetSerializer(self.get_object()).data)


class DatasetDownload(APIView):
    content_negotiation_class = FilesOrJson

    @extend_schema(responses={(200, CONTENT_TYPES["jsonl"]): OpenApiTypes.STR})
    def get(self, request: Request, pk: int) -> StreamingHttpResponse:
        """Download a dataset as JSON Lines, as `export_dataset` writes it."""
        dataset = visible_dataset(request, pk)
        return attachment(write_dataset(dataset_record(dataset)), name=f"{dataset.name}.jsonl")


class DatasetContexts(generics.ListAPIView[Context]):
    serializer_class = ContextSerializer
    filterset_class = ContextFilter
    queryset = Context.objects.all()

    def get_queryset(self) -> QuerySet[Context]:
        return (
            visible_dataset(self.request, self.kwargs["pk"])
            .contexts.order_by("position")
            .prefetch_related("candidates")
        )


class DatasetCandidates(generics.ListAPIView[Candidate]):
    serializer_class = CandidateSerializer
    filterset_class = CandidateFilter
    queryset = Candidate.objects.all()

    def get_queryset(self) -> QuerySet[Candidate]:
        dataset = visible_dataset(self.request, self.kwargs["pk"])
        candidates = Candidate.objects.filter(context__dataset=dataset).select_related("context")
        return candidates.order_by("context__position", "position").prefetch_related("human_scores__attribute")
