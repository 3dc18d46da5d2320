"""A package to publish: its files in order, as a folder or as a ZIP file."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from evenhand.formats import write_dataset
from evenhand.formats.records import DatasetRecord
from judging.models import Dataset
from judging.services.datasets.stored_dataset import dataset_record
from judging.services.datasets.vote_records import VOTE_NUMBERS
from judging.services.exports.exported_answers import NUMERIC_COLUMNS
from judging.services.exports.file_writers import FileRow, json_line
from judging.services.publishing.croissant import Publication, croissant_metadata, missing_metadata
from judging.services.publishing.data_card import data_card
from judging.services.publishing.package_files import (
    JSON_LINES,
    PackageFile,
    WrittenFile,
    checksums,
    recompute_script,
    written_bytes,
)
from judging.services.publishing.package_pseudonyms import Pseudonyms, without_names
from judging.services.publishing.published_runs import PublishedRun

VOTE_COLUMNS = (
    *("context", "attribute", "first", "second", "choice", "rater"),
    *("strength", "confidence", "seconds", "campaign", "guidelines", "excluded", "reading_aids"),
)
NO_LICENCE = (
    "the dataset states no licence, so nobody may use what you publish; import it again with a licence, "
    "or add one to the data card and to croissant.json"
)


@dataclass(slots=True)
class Package:
    """The files of a package. written: those already written, in order."""

    dataset: Dataset
    runs: Sequence[PublishedRun]
    publication: Publication = field(default_factory=Publication)
    written: list[WrittenFile] = field(default_factory=list)

    def files(self) -> Iterator[tuple[str, Iterator[bytes]]]:
        """Yield name and bytes of each file. The files that describe others follow them, so read all in order."""
        record = without_names(dataset_record(self.dataset), Pseudonyms())
        for file in self._data_files(record):
            yield file.name, written_bytes(file, self.written)
        described = list(self.written)
        card = data_card(self.dataset, record, self.runs, described, self.publication)
        for name, text, media_type in (
            ("README.md", card, "text/markdown"),
            ("croissant.json", self._croissant(described), "application/ld+json"),
            ("recompute.sh", recompute_script(self.dataset.name, self.runs), "application/x-sh"),
        ):
            yield name, written_bytes(_text_file(name, media_type, text), self.written)
        yield "SHA256SUMS", iter([checksums(self.written).encode()])

    def _data_files(self, record: DatasetRecord) -> Iterator[PackageFile]:
        yield PackageFile(
            "dataset.jsonl", "The dataset, with scores, ratings and votes", JSON_LINES, lambda: write_dataset(record)
        )
        if any(context.votes for context in record.contexts):
            yield _votes(record)
        for run in self.runs:
            yield _judgments(run)
        if self.runs:
            settings = json.dumps([run.settings() for run in self.runs], indent=2, ensure_ascii=False)
            yield _text_file("runs.json", "application/json", f"{settings}\n", "Prompts, settings, seeds and versions")

    def _croissant(self, described: Sequence[WrittenFile]) -> str:
        metadata = croissant_metadata(
            name=self.dataset.name,
            description=self.dataset.description or f"The dataset {self.dataset.name}, with human and LLM judgments.",
            licence=self.dataset.licence,
            publication=self.publication,
            written=described,
        )
        return json.dumps(metadata, indent=2, ensure_ascii=False) + "\n"

    @property
    def warnings(self) -> list[str]:
        """Facts that are missing, for the person who publishes."""
        warnings = [] if self.dataset.licence else [NO_LICENCE]
        if missing := missing_metadata(self.publication):
            warnings.append(
                f"not given, but required by Croissant: {', '.join(missing)}; add to croissant.json, or publish again"
            )
        return warnings


def write_folder(package: Package, folder: Path) -> None:
    """Write the files of a package into a new or empty folder."""
    for name, parts in package.files():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            file.writelines(parts)


def zip_parts(package: Package, *, folder: str) -> Iterator[bytes]:
    """Yield the bytes of a ZIP file. folder: the folder in it; unsafe characters become dashes."""
    buffer, safe = _Buffer(), re.sub(r"[^\w-]+", "-", folder)
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:  # type: ignore[call-overload]  # it only needs write()
        for name, parts in package.files():
            with archive.open(f"{safe}/{name}", "w", force_zip64=True) as file:
                for part in parts:
                    file.write(part)
                    yield from buffer.take()
    yield from buffer.take()


class _Buffer:
    """A file that holds what was written until it is taken."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, part: bytes) -> int:
        self._parts.append(bytes(part))
        return len(part)

    def flush(self) -> None:
        """Nothing is held back."""

    def take(self) -> list[bytes]:
        """Return the bytes written since the last call."""
        parts, self._parts = self._parts, []
        return parts


def _text_file(name: str, media_type: str, text: str, description: str = "") -> PackageFile:
    return PackageFile(name, description, media_type, lambda: [text])


def _judgments(run: PublishedRun) -> PackageFile:
    description = f"{run.noun.capitalize()} of run {run.run.pk}: {run.judge}, {run.run.prompt_name}"
    return PackageFile(
        run.file, description, JSON_LINES, lambda: map(json_line, run.rows()), run.columns, NUMERIC_COLUMNS
    )


def _votes(record: DatasetRecord) -> PackageFile:
    return PackageFile(
        "votes.jsonl",
        "The votes again, one per line",
        JSON_LINES,
        lambda: map(json_line, _vote_rows(record)),
        VOTE_COLUMNS,
        VOTE_NUMBERS,
    )


def _vote_rows(record: DatasetRecord) -> Iterator[FileRow]:
    for context in record.contexts:
        for vote in context.votes:
            values = {"context": context.key} | {name: getattr(vote, name) for name in VOTE_COLUMNS[1:]}
            yield {name: None if value == "" else value for name, value in values.items()}
