"""Uploaded files for the readers of formats."""

from __future__ import annotations

from pathlib import Path

from django.core.files.uploadedfile import TemporaryUploadedFile, UploadedFile

from evenhand.formats import SourceFile
from evenhand.refusals import Refused


def source_file(uploaded: UploadedFile[bytes]) -> SourceFile:
    """Return the file to read. Django holds a small file in memory, and stores a large one until the request ends."""
    name = uploaded.name or "file"
    if isinstance(uploaded, TemporaryUploadedFile):
        return SourceFile(name, path=Path(uploaded.temporary_file_path()))
    return SourceFile(name, uploaded.read())


def sent_file(sent: object) -> SourceFile:
    """Return the file of a request. Raises Refused without one."""
    if not isinstance(sent, UploadedFile):
        raise Refused("file: give one file")
    return source_file(sent)
