"""Files that commands read and write."""

import pytest

from judging.exceptions import Refused
from judging.formats import SourceFile
from judging.management.command_files import read_files, written_whole


def test_read_files_gives_each_file_under_its_path(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"a\r\n")

    assert read_files([path]) == [SourceFile(str(path), b"a\r\n")]


def test_written_whole_replaces_a_file_when_all_is_written(tmp_path):
    path = tmp_path / "out.jsonl"
    path.write_text("old")

    with written_whole(path) as part:
        part.write_text("new")
        assert path.read_text() == "old"

    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_written_whole_leaves_the_old_file_where_writing_fails(tmp_path):
    path = tmp_path / "out.jsonl"
    path.write_text("old")

    with pytest.raises(ZeroDivisionError), written_whole(path) as part:
        part.write_text(f"{1 / 0}")

    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_written_whole_refuses_a_folder(tmp_path):
    with pytest.raises(Refused, match="a folder — expected the name of a file to write"), written_whole(tmp_path):
        pass
