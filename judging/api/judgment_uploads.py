"""Recorded judgments of a dataset: comparisons, scores and votes that were made elsewhere."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evenhand.formats import REPLY_COLUMNS
from evenhand.prompting.named_verdicts import NAMED_VERDICTS
from judging.api.dataset_uploads import files_field
from judging.api.new_runs import dataset_named
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
from judging.web.api_errors import ProblemsSerializer
from judging.web.api_input import RequestSerializer, body_of
from judging.web.role_checks import user_of
from judging.web.uploaded_files import source_file
from judging.web.visible_rows import dataset_for_judgments, visible_dataset


class JudgmentUploadSerializer(RequestSerializer):
    """Files of one kind of recorded judgments, and the mapping of their columns if these have other names."""

    judgments = serializers.ChoiceField(list(JUDGMENT_KINDS), help_text="What the files hold.")
    judge = serializers.CharField(
        max_length=200,
        required=False,
        help_text="Name of the judge in reports. Needed for comparisons and scores that name no judge; of files that "
        "name several, only this one is read.",
    )
    files = files_field()
    map = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="FIELD=COLUMN, once for each field."
    )
    choice = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="MEANING=VALUE, for values in the column of choices."
    )
    mapping_of = serializers.CharField(
        required=False, help_text="Name of a dataset. The mapping of its latest judgments of this kind is used again."
    )
    verdict_pattern = serializers.CharField(
        required=False,
        help_text="Read the answers from the judge's whole replies, in the column reply. A prompt with a verdict, or "
        f"one of: {', '.join(NAMED_VERDICTS)}.",
    )
    dry_run = serializers.BooleanField(default=False, help_text="Answer what would be read. Nothing is stored.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs.get("verdict_pattern") and attrs["judgments"] not in REPLY_COLUMNS:
            raise serializers.ValidationError({"verdict_pattern": "Only comparisons and scores are read from replies."})
        return attrs


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
        responses={200: JudgmentPreviewSerializer, 201: StoredJudgmentsSerializer, 400: ProblemsSerializer},
    )
    def post(self, request: Request, pk: int) -> Response:
        """Save recorded judgments, or nothing. A dry run saves nothing.

        Comparisons and scores make runs of your own on any dataset that you may see. Votes and ratings change the
        dataset: they need its owner or an admin.
        """
        visible_dataset(request, pk)
        values = body_of(JudgmentUploadSerializer, request)
        dataset = dataset_for_judgments(request, pk, of_judges=JUDGMENT_KINDS[values["judgments"]].needs_judge)
        kind = kind_of_files(values["judgments"], values.get("verdict_pattern", ""), dataset)
        judge = values.get("judge", "")
        files = [source_file(file) for file in values["files"]]
        saved = dataset_named(values["mapping_of"], user_of(request)) if "mapping_of" in values else None
        mapping = choose_judgment_mapping(kind.columns, values.get("map", ()), values.get("choice", ()), saved=saved)
        max_bytes = settings.MAX_UPLOAD_BYTES
        read = read_judgments(kind, files, dataset=dataset, mapping=mapping, judge=judge, max_bytes=max_bytes)
        if values["dry_run"]:
            return Response(_preview(read, dataset, judge, user_of(request)))
        stored = store_judgments(read, dataset=dataset, judge_name=judge, owner=user_of(request))
        runs = [run.pk for run in stored] if isinstance(stored, list) else []
        names = ("votes", "ratings", "raters", "repeated")
        counts = {name: getattr(stored, name, 0) for name in names}
        return Response({"dataset": dataset.name, "runs": runs, **counts, "notes": list(read.notes)}, 201)


def _preview(read: JudgmentFiles, dataset: Dataset, judge: str, owner: User) -> dict[str, Any]:
    """Return the answer of a dry run. Raises Refused with every problem."""
    check_read(read, dataset=dataset, judge_name=judge, owner=owner)
    columns, rows = preview_judgments(read)
    return {"count": len(read.records), "columns": columns, "rows": rows, "notes": list(read.notes)}
