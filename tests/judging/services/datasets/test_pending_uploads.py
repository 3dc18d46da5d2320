"""Files that wait for a confirmation, and requests that come at the same moment."""

import os
from pathlib import Path

import pytest

from judging.formats import AttributeRecord, CandidateRecord, ContextRecord, DatasetRecord, SourceFile
from judging.models import User
from judging.services.datasets.pending_uploads import NoSuchUpload, Upload, discard, discard_old, keep, kept
from judging.services.datasets.upload_preview import preview_of

ANN = User(pk=7)
CANDIDATES = (CandidateRecord("a", "Grüße 🙂", scores={"fluency": 0.1 + 0.2}), CandidateRecord("b", ""))
RECORD = DatasetRecord(
    attributes=(AttributeRecord("fluency"),), contexts=(ContextRecord("c1", "Text", candidates=CANDIDATES),)
)
UPLOAD = Upload((SourceFile("a.csv", b"one"), SourceFile("b.csv", b"two")), "csv", preview_of(RECORD))


@pytest.fixture
def upload(tmp_path):
    return keep(UPLOAD, user=ANN, folder=tmp_path)


def test_kept_gives_the_upload_as_it_came(upload, tmp_path):
    assert kept(upload, user=ANN, folder=tmp_path) == UPLOAD


def test_upload_that_is_discarded_while_it_is_read_is_no_upload(upload, tmp_path, monkeypatch):
    read = Path.read_text

    def read_and_discard(path, *arguments, **options):
        text = read(path, *arguments, **options)
        discard(upload, folder=tmp_path)
        return text

    monkeypatch.setattr(Path, "read_text", read_and_discard)

    with pytest.raises(NoSuchUpload):
        kept(upload, user=ANN, folder=tmp_path)


def test_discard_old_heeds_that_another_request_was_faster(upload, tmp_path, monkeypatch):
    os.utime(tmp_path / upload, (0, 0))
    listed = list(tmp_path.iterdir())
    discard(upload, folder=tmp_path)
    monkeypatch.setattr(Path, "iterdir", lambda folder: iter(listed))

    discard_old(tmp_path)

    assert not (tmp_path / upload).exists()
