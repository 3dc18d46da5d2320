"""The file of a backup: what comes out is what went in, or a sentence that says why nothing comes."""

import random
from zipfile import ZipFile

import pytest

from evenhand.refusals import Refused
from judging.services.backups.backups import opened_archive, write_archive

FACTS = {"version": "0.1.0"}
ROWS = b"rita\tresearcher\n" + random.Random(1).randbytes(100_000)
PASSWORD = "an old horse"


@pytest.fixture
def written(tmp_path):
    """Return a function that writes a backup and returns its file. A key takes two seconds to make and to open."""
    rows = tmp_path / "files" / "database" / "judging_user.copy"
    rows.parent.mkdir(parents=True)
    rows.write_bytes(ROWS)

    def write(password=""):
        write_archive(tmp_path / "files", tmp_path / "evenhand.backup", facts=FACTS, password=password)
        return tmp_path / "evenhand.backup"

    return write


def read(file, *, password=""):
    with opened_archive(file, password=password) as (folder, manifest):
        return (folder / "database" / "judging_user.copy").read_bytes(), manifest["version"]


def change(file, member, how):
    """Change one member of a backup by a function of its content."""
    with ZipFile(file) as before:
        members = {name: before.read(name) for name in before.namelist()}
    with ZipFile(file, "w") as after:
        for name, content in (members | {member: how(members[member])}).items():
            after.writestr(name, content)


def test_files_and_facts_come_out_as_they_went_in(written):
    assert read(written()) == (ROWS, "0.1.0")


def test_file_with_a_password_is_opened_by_it_alone_and_shows_nothing_of_its_rows(written):
    file = written(PASSWORD)

    with ZipFile(file) as archive:
        assert archive.namelist() == ["key.age", "backup.zip.age"]
    assert b"rita" not in file.read_bytes()
    assert read(file, password=PASSWORD) == (ROWS, "0.1.0")
    with pytest.raises(Refused, match=r"^password-file: .*the password does not open"):
        read(file, password="a new horse")
    with pytest.raises(Refused, match=r"^password-file: .*is encrypted; give the file of its password"):
        read(file)
    change(file, "backup.zip.age", lambda content: content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(Refused, match="no whole backup of Evenhand"):
        read(file, password=PASSWORD)


def test_password_that_no_file_needs_is_refused(written):
    with pytest.raises(Refused, match=r"^password-file: .*is not encrypted; it needs none"):
        read(written(), password=PASSWORD)


@pytest.mark.parametrize("share", [0, 0.5, 0.9])
def test_file_that_is_cut_is_refused(written, share):
    file = written()
    file.write_bytes(file.read_bytes()[: int(file.stat().st_size * share)])

    with pytest.raises(Refused, match="no whole backup of Evenhand"):
        read(file)


def test_file_that_is_packed_in_an_unknown_way_is_refused(written):
    file = written()
    content = bytearray(file.read_bytes())
    content[content.index(b"PK\1\2") + 8] |= 32  # the flag of patched data, which zipfile does not read
    file.write_bytes(content)

    with pytest.raises(Refused, match="no whole backup of Evenhand"):
        read(file)


def test_file_that_was_changed_is_refused(written):
    file = written()
    change(file, "database/judging_user.copy", lambda content: content + b"eve\tadmin\n")

    with pytest.raises(Refused, match=r"changed since it was made: database/judging_user\.copy"):
        read(file)


def test_file_of_another_kind_is_refused(tmp_path):
    file = tmp_path / "evenhand.backup"
    file.write_text("CREATE TABLE judging_user;")

    with pytest.raises(Refused, match="no whole backup of Evenhand"):
        read(file)
