"""Metadata of a package as Croissant 1.0 (http://mlcommons.org/croissant/1.0), in JSON-LD."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from django.utils import timezone

from evenhand.refusals import Refused
from judging.services.exports.file_writers import FLAG_COLUMNS
from judging.services.publishing.package_files import WrittenFile

CONFORMS_TO = "http://mlcommons.org/croissant/1.0"
PACKAGE_VERSION = "1.0.0"
OWN_TERMS = (
    *("citeAs", "column", "extract", "field", "fileProperty", "fileObject", "fileSet", "format", "includes"),
    *("isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet", "references", "regex"),
    *("repeated", "replace", "equivalentProperty", "samplingRate", "separator", "source", "subField", "transform"),
)
"""The terms of Croissant's own vocabulary in the context that the specification recommends."""


@dataclass(frozen=True, slots=True)
class Publication:
    """Facts that only the publisher knows. creators: names. url: the page of the dataset. Empty if unknown."""

    creators: Sequence[str] = ()
    url: str = ""
    day: date = field(default_factory=timezone.localdate)

    def __post_init__(self) -> None:
        """Raise Refused for something that is no address of a page."""
        if self.url and not self.url.startswith(("http://", "https://")):
            raise Refused(f'url: "{self.url}" — give the address of a page, which begins with https://')


def croissant_metadata(
    *, name: str, description: str, licence: str, publication: Publication, written: Sequence[WrittenFile]
) -> dict[str, Any]:
    """Return the metadata of a package. Unknown values are left out."""
    metadata = {
        "@context": _context(),
        "@type": "sc:Dataset",
        "name": name,
        "conformsTo": CONFORMS_TO,
        "description": description,
        "license": licence,
        "url": publication.url,
        "creator": [{"@type": "sc:Person", "name": creator} for creator in publication.creators],
        "datePublished": publication.day.isoformat(),
        "version": PACKAGE_VERSION,
        "distribution": [_file_object(one) for one in written],
        "recordSet": [_record_set(one) for one in written if one.file.columns],
    }
    return {key: value for key, value in metadata.items() if value}


def missing_metadata(publication: Publication) -> list[str]:
    """Return the values that Croissant requires and the publisher did not give."""
    values = {"creator": publication.creators, "url": publication.url}
    return [key for key, value in values.items() if not value]


def _context() -> dict[str, Any]:
    return {
        "@language": "en",
        "@vocab": "https://schema.org/",
        **{term: f"cr:{term}" for term in OWN_TERMS},
        "conformsTo": "dct:conformsTo",
        "cr": "http://mlcommons.org/croissant/",
        "data": {"@id": "cr:data", "@type": "@json"},
        "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
        "dct": "http://purl.org/dc/terms/",
        "examples": {"@id": "cr:examples", "@type": "@json"},
        "rai": "http://mlcommons.org/croissant/RAI/",
        "sc": "https://schema.org/",
    }


def _file_object(written: WrittenFile) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": written.file.name,
        "name": written.file.name,
        "description": written.file.description,
        "contentUrl": written.file.name,
        "contentSize": f"{written.size} B",
        "encodingFormat": written.file.media_type,
        "sha256": written.sha256,
    }


def _record_set(written: WrittenFile) -> dict[str, Any]:
    name = written.file.name.removesuffix(".jsonl").rpartition("/")[2]
    fields = [_field(written, name, column) for column in written.file.columns]
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": written.file.description,
        "field": fields,
    }


def _data_type(written: WrittenFile, column: str) -> str:
    if column in FLAG_COLUMNS:
        return "sc:Boolean"
    return "sc:Float" if column in written.file.numbers else "sc:Text"


def _field(written: WrittenFile, record_set: str, column: str) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"{record_set}/{column}",
        "name": column,
        "dataType": _data_type(written, column),
        "source": {"fileObject": {"@id": written.file.name}, "extract": {"column": column}},
    }
