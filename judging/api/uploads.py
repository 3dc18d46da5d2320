"""Uploads: a dataset, what a dry run of one answers, and recorded judgments that were made elsewhere."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evenhand.options import Option, values_for
from judging.models import Dataset, User
from judging.services.datasets.recorded.judgment_files import (
    JUDGMENT_KINDS,
    JudgmentFiles,
    check_read,
    kind_of_files,
    preview_judgments,
    read_judgments,
    store_judgments,
)
from judging.services.datasets.recorded.judgment_mappings import choose_judgment_mapping
from judging.web.api_input import body_of, request_of, values_of_body
from judging.web.operations.new_datasets import DATASET_OPTIONS
from judging.web.operations.recorded_judgments import JUDGMENT_OPTIONS, judgment_settings
from judging.web.role_checks import user_of
from judging.web.uploaded_files import source_file
from judging.web.visible_rows import dataset_for_judgments, visible_dataset


def _require_small(files: list[UploadedFile[bytes]]) -> None:
    size, limit = sum(file.size or 0 for file in files), settings.MAX_UPLOAD_BYTES
    if size > limit:
        raise serializers.ValidationError(f"the files have {size} bytes; at most {limit} are accepted")


class UploadedFilesSerializer(serializers.Serializer[Any]):
    """Files that are together at most as large as the setting MAX_UPLOAD_BYTES allows."""

    files = serializers.ListField(
        child=serializers.FileField(allow_empty_file=True, max_length=500),
        allow_empty=False,
        validators=[_require_small],
    )


DRY_RUN = Option(
    "Answer what would be read, by guessed columns if need be. Nothing is stored.",
    name="dry_run",
    kind=bool,
    default=False,
)


class UploadSerializer(UploadedFilesSerializer, request_of([*DATASET_OPTIONS, DRY_RUN], name="DatasetRequest")):  # type: ignore[misc]
    """The files of one dataset, its name, and the mapping of its columns. A dry run needs no name."""


class ReadingSerializer(serializers.Serializer[Any]):
    """The content of files in a dry run. layout, map, choices: the mapping of the columns; null for a known format.

    contexts, candidates, scores, votes: their numbers. first_contexts: lines of the format `evenhand`.
    """

    format = serializers.CharField()
    layout = serializers.CharField(allow_null=True)
    map = serializers.DictField(child=serializers.CharField(), allow_null=True)
    choices = serializers.DictField(child=serializers.ListField(child=serializers.CharField()), allow_null=True)
    ignored = serializers.ListField(child=serializers.CharField())
    contexts = serializers.IntegerField()
    candidates = serializers.IntegerField()
    attributes = serializers.ListField(child=serializers.CharField())
    scores = serializers.IntegerField()
    votes = serializers.IntegerField()
    notes = serializers.ListField(child=serializers.CharField())
    first_contexts = serializers.ListField(child=serializers.DictField())


KIND = Option("What the files hold.", name="judgments", choices={noun: noun for noun in JUDGMENT_KINDS})
_UPLOAD = (KIND, *JUDGMENT_OPTIONS, DRY_RUN)


class JudgmentUploadSerializer(UploadedFilesSerializer, request_of(_UPLOAD, name="JudgmentOptions")):  # type: ignore[misc]
    """Files of one kind of recorded judgments, and the mapping of their columns if these have other names."""


class JudgmentPreviewSerializer(serializers.Serializer[Any]):
    """The content of files in a dry run. count: judgments in the files. columns, rows: the first 20 judgments.

    notes: parts that will not be used. Problems have status 400, as without a dry run.
    """

    count = serializers.IntegerField()
    columns = serializers.ListField(child=serializers.CharField())
    rows = serializers.ListField(child=serializers.ListField(child=serializers.JSONField(allow_null=True)))
    notes = serializers.ListField(child=serializers.CharField())


class StoredJudgmentsSerializer(serializers.Serializer[Any]):
    """The stored judgments. runs: numbers, one per judge, method, prompt and attribute; empty for votes and ratings.

    votes, ratings: those stored now. repeated: those that were already stored.
    """

    dataset = serializers.CharField()
    runs = serializers.ListField(child=serializers.IntegerField())
    votes = serializers.IntegerField()
    ratings = serializers.IntegerField()
    raters = serializers.IntegerField()
    repeated = serializers.IntegerField()
    notes = serializers.ListField(child=serializers.CharField())


class DatasetJudgments(APIView):
    """Recorded judgments of a dataset."""

    permission_classes = (IsAuthenticated,)
    parser_classes = (MultiPartParser,)

    @extend_schema(
        operation_id="datasets_judgments_create",
        request=JudgmentUploadSerializer,
        responses={200: JudgmentPreviewSerializer, 201: StoredJudgmentsSerializer},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Save recorded judgments, or nothing. A dry run saves nothing.

        Comparisons and scores make runs of your own on any dataset that you may see. Votes and ratings change the
        dataset: they need its owner or an admin.
        """
        visible_dataset(request, pk)
        sent, user = values_of_body(request.data), user_of(request)
        files = [source_file(file) for file in body_of(UploadedFilesSerializer, request)["files"]]
        values = judgment_settings(_UPLOAD, {name: sent[name] for name in sent if name != "files"}, user=user)
        noun, judge = values["judgments"], values["judge"]
        dataset = dataset_for_judgments(request, pk, of_judges=JUDGMENT_KINDS[noun].needs_judge)
        kind = kind_of_files(noun, values["verdict_pattern"], dataset)
        mapping = choose_judgment_mapping(kind.columns, **values_for(choose_judgment_mapping, values))
        max_bytes = settings.MAX_UPLOAD_BYTES
        read = read_judgments(kind, files, dataset=dataset, mapping=mapping, judge=judge, max_bytes=max_bytes)
        if values["dry_run"]:
            return Response(_preview(read, dataset, judge, user))
        stored = store_judgments(read, dataset=dataset, judge_name=judge, owner=user)
        runs = [run.pk for run in stored] if isinstance(stored, list) else []
        names = ("votes", "ratings", "raters", "repeated")
        counts = {name: getattr(stored, name, 0) for name in names}
        return Response({"dataset": dataset.name, "runs": runs, **counts, "notes": list(read.notes)}, 201)


def _preview(read: JudgmentFiles, dataset: Dataset, judge: str, owner: User) -> dict[str, Any]:
    """Return the answer of a dry run. Raises Refused with every problem."""
    check_read(read, dataset=dataset, judge_name=judge, owner=owner)
    columns, rows = preview_judgments(read)
    return {"count": len(read.records), "columns": columns, "rows": rows, "notes": list(read.notes)}
