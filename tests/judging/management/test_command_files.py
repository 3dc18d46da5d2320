"""Files that commands read and write."""

import pytest

from evenhand.refusals import Refused
from judging.management.command_files import read_source_files, replace_when_complete


def test_read_source_files_names_each_file_by_its_path(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"a\r\n")

    [file] = read_source_files([path])

    assert (file.name, file.read()) == (str(path), b"a\r\n")


def test_replace_when_complete_replaces_a_file_at_the_end_and_not_after_an_error(tmp_path):
    path = tmp_path / "out.jsonl"
    path.write_text("old")

    with replace_when_complete(path) as part:
        part.write_text("new")
        assert path.read_text() == "old"

    assert path.read_text() == "new"

    with pytest.raises(ZeroDivisionError), replace_when_complete(path) as part:
        part.write_text(f"{1 / 0}")

    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_replace_when_complete_refuses_a_folder(tmp_path):
    with (
        pytest.raises(Refused, match="a folder — expected the name of a file to write"),
        replace_when_complete(tmp_path),
    ):
        pass
