"""The file of a backup: what comes out is what went in, or a sentence that says why nothing comes."""

import random
from zipfile import ZipFile

import pytest

from evenhand.refusals import Refused
from judging.services.backups.backup_archive import opened_archive, write_archive

FACTS = {"version": "0.1.0"}
ROWS = b"rita\tresearcher\n" + random.Random(1).randbytes(100_000)
PASSWORD = "an old horse"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Password -> the bytes of a backup. Its key takes a second to make and to open."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "files" / "database").mkdir(parents=True)
    (folder / "files" / "database" / "judging_user.copy").write_bytes(ROWS)
    for password in ("", PASSWORD):
        write_archive(folder / "files", folder / f"{password}.backup", facts=FACTS, password=password)
    return {password: (folder / f"{password}.backup").read_bytes() for password in ("", PASSWORD)}


@pytest.fixture
def file(tmp_path):
    return tmp_path / "evenhand.backup"


def read(file, *, password=""):
    with opened_archive(file, password=password) as (folder, manifest):
        return (folder / "database" / "judging_user.copy").read_bytes(), manifest["version"]


@pytest.mark.parametrize("password", ["", PASSWORD])
def test_files_and_facts_come_out_as_they_went_in(made, file, password):
    file.write_bytes(made[password])

    assert read(file, password=password) == (ROWS, "0.1.0")


def test_file_with_a_password_shows_nothing_of_its_rows(made, file):
    file.write_bytes(made[PASSWORD])

    with ZipFile(file) as archive:
        assert archive.namelist() == ["key.age", "backup.zip.age"]
    assert b"rita" not in made[PASSWORD]


@pytest.mark.parametrize(
    ("made_with", "opened_with", "reason"),
    [
        (PASSWORD, "", "is encrypted; give the file of its password"),
        (PASSWORD, "a new horse", "the password does not open"),
        ("", PASSWORD, "is not encrypted; it needs none"),
    ],
)
def test_wrong_password_is_refused(made, file, made_with, opened_with, reason):
    file.write_bytes(made[made_with])

    with pytest.raises(Refused, match=f"^password-file: .*{reason}"):
        read(file, password=opened_with)


@pytest.mark.parametrize("password", ["", PASSWORD])
@pytest.mark.parametrize("share", [0, 0.5, 0.9])
def test_file_that_is_cut_is_refused(made, file, share, password):
    file.write_bytes(made[password][: int(len(made[password]) * share)])

    with pytest.raises(Refused):
        read(file, password=password if share else "")


def test_file_that_was_changed_is_refused(made, file):
    file.write_bytes(made[""])
    with ZipFile(file) as before:
        members = {name: before.read(name) for name in before.namelist()}
    with ZipFile(file, "w") as after:
        for name, content in members.items():
            after.writestr(name, content + b"eve\tadmin\n" if name.endswith(".copy") else content)

    with pytest.raises(Refused, match=r"changed since it was made: database/judging_user\.copy"):
        read(file)


def test_file_of_another_kind_is_refused(file):
    file.write_text("CREATE TABLE judging_user;")

    with pytest.raises(Refused, match="no whole backup of Evenhand"):
        read(file)
