"""Recorded judgments of a dataset: comparisons, scores and votes that were made elsewhere."""

from typing import Any

from django.conf import settings
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evenhand.options import Option, values_for
from judging.api.dataset_uploads import DRY_RUN, UploadedFilesSerializer
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
from judging.web.operations.recorded_judgments import JUDGMENT_OPTIONS, judgment_settings
from judging.web.role_checks import user_of
from judging.web.uploaded_files import source_file
from judging.web.visible_rows import dataset_for_judgments, visible_dataset

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
