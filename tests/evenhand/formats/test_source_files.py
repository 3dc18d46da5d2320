"""Files that are binary, too large, empty or not in UTF-8."""

import pytest

from evenhand.formats import SourceFile, read_comparisons, read_dataset, read_scores, source_files
from tests.evenhand.formats.small_files import context, dataset_problems, json_lines, problems

READERS = [read_dataset, read_comparisons, read_scores]


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("content", [b"", b" \n\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n"])
def test_readers_refuse_an_empty_file(read, content):
    assert problems(lambda: read([SourceFile("a.csv", content)])) == [
        "a.csv: the file is empty — expected some content"
    ]


@pytest.mark.parametrize("read", READERS)
def test_readers_refuse_a_file_that_is_too_large(read):
    file = SourceFile("a.csv", b"x" * 1001)

    assert problems(lambda: read([file], max_bytes=1000)) == [
        "a.csv: 1,001 bytes — expected at most 1,000 bytes; split the file"
    ]


def test_read_dataset_accepts_a_file_of_exactly_the_largest_size_and_a_byte_order_mark():
    file = json_lines(context())

    assert len(read_dataset([file], max_bytes=len(file.content)).contexts) == 1
    assert read_dataset([SourceFile("a", b"\xef\xbb\xbf" + file.content)]) == read_dataset([file])


@pytest.mark.parametrize("read", READERS)
def test_readers_name_the_first_byte_that_is_not_utf8(read):
    file = SourceFile("a.csv", b"context\nna\xefve\n")

    assert problems(lambda: read([file])) == [
        "a.csv:2: byte 10 of the file: 0xef — expected UTF-8 text (a spreadsheet saves it as CSV UTF-8)"
    ]


def test_read_dataset_counts_the_byte_order_mark_among_the_bytes():
    assert dataset_problems(SourceFile("a.csv", b"\xef\xbb\xbfcontext\nna\xefve\n")) == [
        "a.csv:2: byte 13 of the file: 0xef — expected UTF-8 text (a spreadsheet saves it as CSV UTF-8)"
    ]


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"\x1f\x8b\x08\x00ab", "a gzip file, which is binary"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "a binary file"),
        ("context,text".encode("utf-16"), "text in UTF-16"),
    ],
)
def test_readers_name_the_kind_of_a_file_that_is_not_utf8_text(read, content, kind):
    assert problems(lambda: read([SourceFile("a", content)])) == [
        f"a: {kind} — expected text in UTF-8: CSV, JSON or JSON Lines"
    ]


def test_read_dataset_accepts_a_text_that_begins_as_binary_files_do():
    table = SourceFile("a.csv", b"PAR1,context,context_text,candidate,text\n3,c1,Seas.,a,Short.\n")

    assert read_dataset([table]).attributes[0].name == "PAR1"


@pytest.mark.parametrize("read", READERS)
def test_readers_refuse_a_nul_byte(read):
    file = SourceFile("a.csv", b"context\nx\0y\n")

    assert problems(lambda: read([file])) == [
        "a.csv:2: byte 9 of the file: 0x00 — expected text without the character U+0000"
    ]


def test_read_dataset_reports_the_problems_of_every_file():
    broken, empty, good = SourceFile("1", b"\xff"), SourceFile("2", b""), json_lines(context(text=5), name="3")

    assert dataset_problems(broken, empty, good) == [
        "1:1: byte 0 of the file: 0xff — expected UTF-8 text (a spreadsheet saves it as CSV UTF-8)",
        "2: the file is empty — expected some content",
        "3:1: text: 5 — expected a text",
    ]


def test_read_dataset_refuses_an_empty_list_of_files():
    assert dataset_problems() == ["no file — expected at least one"]


@pytest.mark.parametrize("size", range(1, 12))
@pytest.mark.parametrize(
    ("content", "place"),
    [
        (b"a\nb\n\nc\xe2\x82x\n", "a.csv:4: byte 6 of the file: 0xe2"),
        (b"a\nb\n\nc\xe2\x82\xac\n\0", "a.csv:5: byte 10 of the file: 0x00"),
        (b"a\nb\n\nc\n\xf0\x9f", "a.csv:5: byte 7 of the file: 0xf0"),
    ],
)
def test_wrong_byte_has_the_same_place_wherever_the_blocks_of_a_file_end(monkeypatch, size, content, place):
    monkeypatch.setattr(source_files, "BLOCK_BYTES", size)

    (problem,) = dataset_problems(SourceFile("a.csv", content))

    assert problem.startswith(f"{place} — expected ")
