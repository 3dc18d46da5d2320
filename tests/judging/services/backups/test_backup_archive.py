"""The file of a backup: what comes out is what went in, or a sentence that says why nothing comes."""

import random
from zipfile import ZipFile

import pytest

from evenhand.refusals import Refused
from judging.services.backups.backup_archive import opened_archive, write_archive

FACTS = {"version": "0.1.0"}
ROWS = b"rita\tresearcher\n" + random.Random(1).randbytes(100_000)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "files" / "database").mkdir(parents=True)
    (tmp_path / "files" / "database" / "judging_user.copy").write_bytes(ROWS)
    return tmp_path / "files"


def written(folder, *, password=""):
    file = folder.parent / "evenhand.backup"
    write_archive(folder, file, facts=FACTS, password=password)
    return file


def read(file, *, password=""):
    with opened_archive(file, password=password) as (folder, manifest):
        return (folder / "database" / "judging_user.copy").read_bytes(), manifest["version"]


@pytest.mark.parametrize("password", ["", "an old horse"])
def test_files_and_facts_come_out_as_they_went_in(folder, password):
    file = written(folder, password=password)

    assert read(file, password=password) == (ROWS, "0.1.0")


def test_file_with_a_password_shows_nothing_of_its_rows(folder):
    file = written(folder, password="an old horse")

    with ZipFile(file) as archive:
        assert archive.namelist() == ["key.age", "backup.zip.age"]
    assert b"rita" not in file.read_bytes()


@pytest.mark.parametrize(
    ("made_with", "opened_with", "reason"),
    [
        ("an old horse", "", "is encrypted; give the file of its password"),
        ("an old horse", "a new horse", "the password does not open"),
        ("", "an old horse", "is not encrypted; it needs none"),
    ],
)
def test_wrong_password_is_refused(folder, made_with, opened_with, reason):
    with pytest.raises(Refused, match=f"^password-file: .*{reason}"):
        read(written(folder, password=made_with), password=opened_with)


@pytest.mark.parametrize("password", ["", "an old horse"])
@pytest.mark.parametrize("share", [0, 0.5, 0.9])
def test_file_that_is_cut_is_refused(folder, share, password):
    file = written(folder, password=password)
    content = file.read_bytes()
    file.write_bytes(content[: int(len(content) * share)])

    with pytest.raises(Refused):
        read(file, password=password if share else "")


def test_file_that_was_changed_is_refused(folder):
    file = written(folder)
    with ZipFile(file) as before:
        members = {name: before.read(name) for name in before.namelist()}
    with ZipFile(file, "w") as after:
        for name, content in members.items():
            after.writestr(name, content + b"eve\tadmin\n" if name.endswith(".copy") else content)

    with pytest.raises(Refused, match=r"changed since it was made: database/judging_user\.copy"):
        read(file)


def test_file_of_another_kind_is_refused(tmp_path):
    (tmp_path / "evenhand.sql").write_text("CREATE TABLE judging_user;")

    with pytest.raises(Refused, match="no whole backup of Evenhand"):
        read(tmp_path / "evenhand.sql")
