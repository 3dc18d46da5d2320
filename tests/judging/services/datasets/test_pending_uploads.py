"""Pending uploads, and requests at the same moment."""

import os
from pathlib import Path

import pytest

from evenhand.formats import AttributeRecord, CandidateRecord, ContextRecord, DatasetRecord, SourceFile
from judging.models import User
from judging.services.datasets.pending_uploads import (
    NoSuchUpload,
    PendingUpload,
    delete_old_uploads,
    delete_upload,
    load_upload,
    store_upload,
)
from judging.services.datasets.upload_preview import preview_dataset

ANN = User(pk=7)
CANDIDATES = (CandidateRecord("a", "Grüße 🙂", scores={"fluency": 0.1 + 0.2}), CandidateRecord("b", ""))
RECORD = DatasetRecord(
    attributes=(AttributeRecord("fluency"),), contexts=(ContextRecord("c1", "Text", candidates=CANDIDATES),)
)
UPLOAD = PendingUpload((SourceFile("a.csv", b"one"), SourceFile("b.csv", b"two")), "csv", preview_dataset(RECORD))


@pytest.fixture
def upload(tmp_path):
    return store_upload(UPLOAD, user=ANN, folder=tmp_path)


def test_load_upload_returns_the_stored_upload(upload, tmp_path):
    loaded = load_upload(upload, user=ANN, folder=tmp_path)

    assert [(file.name, file.read()) for file in loaded.files] == [("a.csv", b"one"), ("b.csv", b"two")]
    assert (loaded.format, loaded.preview) == (UPLOAD.format, UPLOAD.preview)


def test_load_upload_refuses_an_upload_deleted_meanwhile(upload, tmp_path, monkeypatch):
    read = Path.read_text

    def read_and_delete(path, *arguments, **options):
        text = read(path, *arguments, **options)
        delete_upload(upload, folder=tmp_path)
        return text

    monkeypatch.setattr(Path, "read_text", read_and_delete)

    with pytest.raises(NoSuchUpload):
        load_upload(upload, user=ANN, folder=tmp_path)


def test_delete_old_uploads_ignores_an_upload_deleted_meanwhile(upload, tmp_path, monkeypatch):
    os.utime(tmp_path / upload, (0, 0))
    listed = list(tmp_path.iterdir())
    delete_upload(upload, folder=tmp_path)
    monkeypatch.setattr(Path, "iterdir", lambda folder: iter(listed))

    delete_old_uploads(tmp_path)

    assert not (tmp_path / upload).exists()
