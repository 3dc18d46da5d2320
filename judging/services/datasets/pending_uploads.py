"""Uploaded files that wait for a confirmation, in a private folder of each upload."""

import json
import secrets
import shutil
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from evenhand.formats import SourceFile, TableMapping
from judging.models import User
from judging.services.datasets.upload_preview import DatasetPreview

KEEP_SECONDS = 24 * 3600
DETAILS_FILE = "upload.json"


@dataclass(frozen=True, slots=True)
class JudgmentsTarget:
    """The dataset and the judge of recorded judgments.

    dataset: its id. noun: comparisons, scores or votes. judge: "" for votes.
    verdict_pattern: how answers are read from replies; "" if columns hold them.
    """

    dataset: int
    noun: str
    judge: str
    verdict_pattern: str = ""

    @property
    def title(self) -> str:
        """The noun, and where the answers are if they have no columns of their own."""
        return f"{self.noun} in replies" if self.verdict_pattern else self.noun


@dataclass(frozen=True, slots=True)
class PendingUpload:
    """Uploaded files in their order, their format (None: detect it), and how they are read.

    mapping: of the columns of a table. preview: of the dataset; None until the mapping is complete.
    target: None for the files of a dataset.
    """

    files: tuple[SourceFile, ...]
    format: str | None
    preview: DatasetPreview | None
    mapping: TableMapping | None = None
    target: JudgmentsTarget | None = None

    @property
    def has_columns(self) -> bool:
        """True for a table that is read by a mapping of its columns; False for a log whose labels have a meaning."""
        return bool(self.mapping and self.mapping.layout)


class NoSuchUpload(LookupError):
    """Raised for an upload that was confirmed, deleted or older than a day, or of another user."""


def store_upload(upload: PendingUpload, *, user: User, folder: Path) -> str:
    """Store an upload and return its name for `load_upload`. Deletes uploads older than a day."""
    delete_old_uploads(folder)
    name = secrets.token_hex(16)
    upload_folder = folder / name
    upload_folder.mkdir(parents=True, mode=0o700)
    for number, file in enumerate(upload.files):
        _copy(file, upload_folder / str(number))
    _write_details(upload_folder, upload, user)
    return name


def update_upload(name: str, upload: PendingUpload, *, user: User, folder: Path) -> None:
    """Store another mapping and preview of an upload."""
    _write_details(folder / name, upload, user)


def _write_details(upload_folder: Path, upload: PendingUpload, user: User) -> None:
    details = {
        "user": user.pk,
        "format": upload.format,
        "names": [file.name for file in upload.files],
        "preview": upload.preview,
        "mapping": upload.mapping.to_json() if upload.mapping else None,
        "target": asdict(upload.target) if upload.target else None,
    }
    part = upload_folder / f"{DETAILS_FILE}.part"
    part.write_text(json.dumps(details))
    part.replace(upload_folder / DETAILS_FILE)


def load_upload(name: str, *, user: User, folder: Path) -> PendingUpload:
    """Read the upload of this name and user. Raises NoSuchUpload."""
    upload_folder = folder / name
    if not name.isalnum():
        raise NoSuchUpload(name)
    try:
        return _read(upload_folder, user)
    except FileNotFoundError as gone:  # another request deleted it, for example by a double click
        raise NoSuchUpload(name) from gone


def _read(upload_folder: Path, user: User) -> PendingUpload:
    details = json.loads((upload_folder / DETAILS_FILE).read_text())
    if details["user"] != user.pk:
        raise NoSuchUpload(upload_folder.name)
    paths = [upload_folder / str(number) for number in range(len(details["names"]))]
    if not all(path.exists() for path in paths):
        raise FileNotFoundError(upload_folder)
    files = tuple(SourceFile(name, path=path) for name, path in zip(details["names"], paths, strict=True))
    mapping = TableMapping.from_json(details["mapping"]) if details["mapping"] else None
    target = JudgmentsTarget(**details["target"]) if details["target"] else None
    return PendingUpload(files, details["format"], details["preview"], mapping, target)


def _copy(file: SourceFile, path: Path) -> None:
    with path.open("wb") as copy:
        copy.writelines(file.blocks())


def delete_upload(name: str, *, folder: Path) -> None:
    shutil.rmtree(folder / name, ignore_errors=True)


def delete_old_uploads(folder: Path) -> None:
    """Delete uploads that nobody confirmed within a day, and files that a killed process left for as long."""
    if folder.is_dir():
        for upload in folder.iterdir():
            if _is_old(upload) and upload.is_file():
                upload.unlink(missing_ok=True)
            elif _is_old(upload):
                shutil.rmtree(upload, ignore_errors=True)


def _is_old(upload: Path) -> bool:
    try:
        return upload.stat().st_mtime < time.time() - KEEP_SECONDS
    except FileNotFoundError:  # another request deleted it just now
        return False
