"""Upload of a dataset: the request, and what a dry run answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from rest_framework import serializers
from rest_framework.request import Request

from evenhand.file_problems import InvalidFile
from evenhand.formats import DATASET_FORMATS, DATASET_LAYOUTS, MEANINGS, DatasetRecord, SourceFile, read_dataset
from evenhand.refusals import Refused
from judging.models import Dataset, User, Visibility
from judging.services.datasets.dataset_import import name_problems
from judging.services.datasets.named_attributes import with_attributes
from judging.services.datasets.table_mappings import choose_mapping, describe_reading, read_or_guess
from judging.web.api_input import RequestSerializer, body_of
from judging.web.role_checks import user_of
from judging.web.uploaded_files import source_file


def files_field() -> serializers.ListField:
    """Return a field for files that are together at most as large as the setting MAX_UPLOAD_BYTES allows."""
    one = serializers.FileField(allow_empty_file=True, max_length=500)
    return serializers.ListField(child=one, allow_empty=False, validators=[_require_small])


def _require_small(files: list[UploadedFile[bytes]]) -> None:
    size, limit = sum(file.size or 0 for file in files), settings.MAX_UPLOAD_BYTES
    if size > limit:
        raise serializers.ValidationError(f"the files have {size} bytes; at most {limit} are accepted")


class UploadSerializer(RequestSerializer):
    """The files of one dataset, its name, and the mapping of a table with columns of your own."""

    name = serializers.CharField(
        max_length=200, trim_whitespace=False, required=False, help_text="Needed unless `dry_run` is set."
    )
    files = files_field()
    visibility = serializers.ChoiceField(
        Visibility.choices,
        default=Visibility.PRIVATE,
        help_text="Who may see it: its owner alone, the researchers in `shared_with`, or all researchers.",
    )
    shared_with = serializers.ListField(
        child=serializers.CharField(), default=list, help_text="Usernames, for visibility shared only."
    )
    format = serializers.ChoiceField(
        list(DATASET_FORMATS), required=False, help_text="Default: detected from the content."
    )
    layout = serializers.ChoiceField(
        list(DATASET_LAYOUTS), required=False, help_text="Layout of the table. Without `map`, its columns are guessed."
    )
    map = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="FIELD=COLUMN, once for each field of the layout."
    )
    choice = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text=f"MEANING=VALUE, for values in the column of choices; a meaning is one of {', '.join(MEANINGS)}; "
        "or NUMBER=WORD, for words in place of scores.",
    )
    attribute = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text="Names of further attributes to judge, for a dataset without human scores.",
    )
    mapping_of = serializers.CharField(required=False, help_text="Name of a dataset whose mapping is used again.")
    dry_run = serializers.BooleanField(
        default=False, help_text="Answer what would be read, by guessed columns if need be. Nothing is stored."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if not attrs["dry_run"] and "name" not in attrs:
            raise serializers.ValidationError({"name": "This field is required."})
        return attrs


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


@dataclass(frozen=True, slots=True)
class Upload:
    """A valid upload request."""

    values: dict[str, Any]
    files: list[SourceFile]
    user: User

    @classmethod
    def of_request(cls, request: Request) -> Upload:
        """Read a request. Raises ValidationError with every problem of its fields."""
        values = body_of(UploadSerializer, request)
        return cls(values, [source_file(file) for file in values["files"]], user_of(request))

    def describe(self) -> dict[str, Any]:
        """Describe what would be read. Raises InvalidFile or Refused."""
        mapping = choose_mapping(self.files, **self._mapping_options())
        max_bytes = settings.MAX_UPLOAD_BYTES
        return describe_reading(read_or_guess(self.files, self.values.get("format"), mapping, max_bytes=max_bytes))

    def read(self) -> DatasetRecord:
        """Read the dataset. Raises Refused with the problems of its name together with those of the files."""
        try:
            mapping = choose_mapping(self.files, **self._mapping_options())
            max_bytes = settings.MAX_UPLOAD_BYTES
            record = read_dataset(self.files, self.values.get("format"), mapping=mapping, max_bytes=max_bytes)
            return with_attributes(record, self.values.get("attribute", ()))
        except (InvalidFile, Refused) as invalid:
            raise Refused(*name_problems(self.values["name"]), *map(str, invalid.problems)) from invalid

    def _mapping_options(self) -> dict[str, Any]:
        return {
            "layout": self.values.get("layout", ""),
            "columns": self.values.get("map", ()),
            "choices": self.values.get("choice", ()),
            "saved": self._saved_dataset(),
        }

    def _saved_dataset(self) -> Dataset | None:
        name = self.values.get("mapping_of")
        if name is None:
            return None
        dataset = Dataset.objects.visible_to(self.user).filter(name=name).first()
        if dataset is None:
            raise Refused(f'mapping_of: there is no dataset "{name}"')
        return dataset
