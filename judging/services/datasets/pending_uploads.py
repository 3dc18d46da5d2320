"""Files that were uploaded and wait for a confirmation, in a private folder; nothing else knows of them."""

from __future__ import annotations

import json
import secrets
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from judging.formats import SourceFile
from judging.models import User
from judging.services.datasets.upload_preview import Preview

KEPT_SECONDS = 24 * 3600
NOTE = "upload.json"


@dataclass(frozen=True, slots=True)
class Upload:
    """Files in the order given, the format to read them as (None: recognise it), and the preview of their dataset."""

    files: tuple[SourceFile, ...]
    format: str | None
    preview: Preview


class NoSuchUpload(LookupError):
    """There is no upload of this name and person; it was confirmed, discarded or its time was up."""


def keep(upload: Upload, *, user: User, folder: Path) -> str:
    """Store an upload and return the name under which `kept` finds it. Discards uploads older than a day."""
    discard_old(folder)
    name = secrets.token_hex(16)
    place = folder / name
    place.mkdir(parents=True, mode=0o700)
    for number, file in enumerate(upload.files):
        (place / str(number)).write_bytes(file.content)
    names = [file.name for file in upload.files]
    note = {"user": user.pk, "format": upload.format, "names": names, "preview": upload.preview}
    (place / NOTE).write_text(json.dumps(note))
    return name


def kept(name: str, *, user: User, folder: Path) -> Upload:
    """The upload stored under `name` by this person. Raises NoSuchUpload."""
    place = folder / name
    if not name.isalnum():
        raise NoSuchUpload(name)
    try:
        return _read(place, user)
    except FileNotFoundError as gone:  # perhaps this very moment: confirmed twice, say, by a double click
        raise NoSuchUpload(name) from gone


def _read(place: Path, user: User) -> Upload:
    note = json.loads((place / NOTE).read_text())
    if note["user"] != user.pk:
        raise NoSuchUpload(place.name)
    contents = [(place / str(number)).read_bytes() for number in range(len(note["names"]))]
    files = tuple(SourceFile(*pair) for pair in zip(note["names"], contents, strict=True))
    return Upload(files, note["format"], note["preview"])


def discard(name: str, *, folder: Path) -> None:
    shutil.rmtree(folder / name, ignore_errors=True)


def discard_old(folder: Path) -> None:
    """Remove what nobody confirmed within a day."""
    if folder.is_dir():
        for place in folder.iterdir():
            if _is_old(place):
                shutil.rmtree(place, ignore_errors=True)


def _is_old(place: Path) -> bool:
    try:
        return place.stat().st_mtime < time.time() - KEPT_SECONDS
    except FileNotFoundError:  # another request discards it just now
        return False
