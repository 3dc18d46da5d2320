"""ZIP archives of tables."""

from evenhand.formats import SourceFile, read_dataset
from evenhand.formats.tables import archives
from tests.evenhand.formats.people_tables import zip_bytes
from tests.evenhand.formats.small_files import context, dataset_problems, json_lines


def archive(contents: dict[str, bytes]) -> SourceFile:
    return SourceFile("data.zip", zip_bytes(contents))


def lines(**changes: object) -> bytes:
    return json_lines(context(**changes)).content


def test_read_dataset_reads_the_tables_of_an_archive_and_notes_the_other_files():
    record = read_dataset(
        [archive({"data/one.jsonl": lines(context="c1"), "two.jsonl": lines(context="c2"), "README.md": b"Read me."})]
    )

    assert [one.key for one in record.contexts] == ["c1", "c2"]
    assert record.notes == ("data.zip: these files are no tables and are ignored: README.md",)


def test_problems_name_the_file_in_the_archive():
    file = archive({"one.jsonl": lines(), "two.jsonl": lines(context="c2", text=5)})

    assert dataset_problems(file) == ["data.zip/two.jsonl:1: text: 5 — expected a text"]


def test_read_dataset_refuses_an_archive_without_tables_a_broken_one_and_one_that_unpacks_to_too_much():
    assert dataset_problems(archive({"README.md": b"Read me."})) == [
        "data.zip: no table in the archive — expected a file that ends in "
        ".csv, .tsv, .json, .jsonl, .ndjson, .parquet, .xlsx"
    ]

    file = archive({"one.jsonl": lines()})
    cut = SourceFile("data.zip", file.content[:-40])

    [problem] = dataset_problems(cut)

    assert problem.startswith("data.zip: the archive cannot be read")

    file = archive({"one.csv": b"x" * 2_000_000})

    assert len(file.content) < 10_000
    [problem] = dataset_problems(file, max_bytes=1_000_000)
    assert problem.startswith("data.zip: 2,000,000 bytes unpacked — expected at most 1,000,000 bytes")


def test_read_dataset_refuses_an_archive_of_more_tables_than_it_reads(monkeypatch):
    monkeypatch.setattr(archives, "MAX_ARCHIVE_FILES", 2)
    tables = {f"{number}.jsonl": lines(context=f"c{number}") for number in range(3)}

    assert dataset_problems(archive(tables)) == ["data.zip: 3 files in the archive — expected at most 2"]
    assert len(read_dataset([archive({name: tables[name] for name in ("0.jsonl", "1.jsonl")})]).contexts) == 2
