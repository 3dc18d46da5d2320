"""`import_dataset` of tables with columns of any name, by a mapping."""

import zipfile

import pytest
from django.core.management import call_command

from judging.models import Dataset
from tests.commands import printed_json, refused
from tests.evenhand.formats.people_tables import PEOPLE_TABLES, pair_of_responses

pytestmark = pytest.mark.django_db

PAIRS = [
    *("--layout", "pairs", "--map", "context_text=prompt", "--map", "text_first=response_a"),
    *("--map", "text_second=response_b", "--map", "choice=winner"),
    *("--choice", "first=response_a", "--choice", "second=response_b", "--choice", "tie=tie"),
]


@pytest.fixture
def pairs(tmp_path):
    file = tmp_path / "pairs.csv"
    file.write_bytes(pair_of_responses().content)
    return file


@pytest.mark.parametrize("make", PEOPLE_TABLES.values(), ids=PEOPLE_TABLES)
def test_files_as_people_have_them_are_imported(tmp_path, capsys, make):
    table = make()
    file = tmp_path / table.name
    file.write_bytes(table.content)
    reading = printed_json(capsys, "import_dataset", file, "--dry-run")
    options = [f"--map={field}={column}" for field, column in (reading["map"] or {}).items()]
    options += [f"--choice={meaning}={one}" for meaning, values in (reading["choices"] or {}).items() for one in values]
    options += [f"--layout={reading['layout']}"] if reading["layout"] else []

    assert printed_json(capsys, "import_dataset", file, "--name", "Table", *options) == {
        "dataset": "Table",
        "contexts": table.contexts,
        "candidates": table.candidates,
        "attributes": list(table.attributes),
        "scores": table.scores,
        "votes": table.votes,
    }
    assert reading["ignored"] == list(table.ignored)


def test_dry_run_says_what_would_be_read_and_stores_nothing(pairs, capsys):
    reading = printed_json(capsys, "import_dataset", pairs, "--dry-run")

    first = reading.pop("first_contexts")
    assert reading == {
        "format": "table",
        "layout": "pairs",
        "map": {
            **{"context_text": "prompt", "text_first": "response_a", "text_second": "response_b", "choice": "winner"}
        },
        "choices": {"first": ["response_a"], "second": ["response_b"], "tie": ["tie"]},
        "ignored": [],
        "contexts": 4,
        "candidates": 8,
        "attributes": ["overall"],
        "scores": 0,
        "votes": 4,
        "notes": [],
    }
    assert [context["context"] for context in first] == ["0", "1", "2"]
    assert first[0]["votes"] == [
        {"attribute": "overall", "first": "1", "second": "2", "choice": "first", "rater": "gold"}
    ]
    assert not Dataset.objects.exists()


def test_a_broken_file_of_unknown_columns_is_refused_with_its_broken_lines(tmp_path, capsys):
    file = tmp_path / "broken.json"
    file.write_text('[{"one": 1, "two": 2},\n {"one" 3}]')

    first, *_ = refused(capsys, "import_dataset", file, "--name", "Broken")

    assert first.startswith(f"{file}:2: column 9: ")
    assert first.endswith("— expected one whole JSON array of objects")


def test_a_folder_and_an_archive_are_read_as_their_tables(tmp_path, capsys):
    folder = tmp_path / "data"
    folder.mkdir()
    content = pair_of_responses().content
    (folder / "one.csv").write_bytes(content)
    (folder / "two.csv").write_bytes(content.replace(b"Article", b"Report"))
    (folder / "README.md").write_text("Read me.")
    with zipfile.ZipFile(tmp_path / "data.zip", "w") as archive:
        for file in folder.iterdir():
            archive.write(file, file.name)

    for source in (folder, tmp_path / "data.zip"):
        stored = printed_json(capsys, "import_dataset", source, "--name", source.name, *PAIRS)
        assert (stored["contexts"], stored["votes"]) == (8, 8)


def test_ignored_files_of_a_folder_are_named(tmp_path, capsys):
    (tmp_path / "one.csv").write_bytes(pair_of_responses().content)
    (tmp_path / "README.md").write_text("Read me.")

    call_command("import_dataset", str(tmp_path), "--name", "Pairs", *PAIRS)

    assert f"these files are no tables and are ignored: {tmp_path}/README.md" in capsys.readouterr().err


def test_a_folder_without_tables_is_refused(tmp_path, capsys):
    assert refused(capsys, "import_dataset", tmp_path, "--name", "Empty") == [
        f"{tmp_path}: no file to read — expected a file, or a folder of CSV, JSON, Parquet or XLSX files"
    ]


def test_dry_run_notes_cells_that_are_read_as_no_score(tmp_path, capsys):
    file = tmp_path / "answers.csv"
    file.write_text("prompt,response,clarity\nWhy?,So.,4\nWhy?,No.,NA\n")

    reading = printed_json(capsys, "import_dataset", file, "--dry-run")

    assert (reading["map"]["score:clarity"], reading["scores"]) == ("clarity", 1)
    assert reading["notes"] == ['cells read as no score: 1 ("NA")']
