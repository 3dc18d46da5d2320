"""Upload of a dataset: the request, and what a dry run answers."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from rest_framework import serializers

from evenhand.options import Option
from judging.web.api_input import request_of
from judging.web.operations.new_datasets import DATASET_OPTIONS


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
