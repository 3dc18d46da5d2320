"""The commands import_dataset and export_dataset."""

import json

import pytest
from django.core.management import call_command

from judging.models import Dataset
from tests.commands import refused
from tests.factories import make_user

pytestmark = pytest.mark.django_db

LINES = """\
{"dataset": {"attributes": [{"name": "overall"}]}}
{"context": "c1", "text": "Article", "candidates": [{"candidate": "a", "text": "A", "scores": {"overall": 2}}, \
{"candidate": "b", "text": "B"}], "votes": [{"attribute": "overall", "first": "a", "second": "b", "choice": "tie", \
"rater": "h1"}]}
{"context": "c2", "text": "Lonely", "candidates": [{"candidate": "a", "text": "A"}]}
"""


@pytest.fixture
def dataset_file(tmp_path):
    path = tmp_path / "articles.jsonl"
    path.write_text(LINES)
    return path


def test_import_dataset_prints_its_counts_as_one_json_document(dataset_file, capsys):
    call_command("import_dataset", str(dataset_file), "--name", "Articles", "--json")

    printed = capsys.readouterr()
    assert json.loads(printed.out) == {
        "dataset": "Articles",
        "contexts": 2,
        "candidates": 3,
        "attributes": ["overall"],
        "scores": 1,
        "votes": 1,
    }
    assert printed.err.splitlines() == [
        '1 context has fewer than two candidates, so there is nothing to compare: "c2"',
        "all researchers see this dataset; give --owner NAME to make it private",
    ]


def test_import_dataset_names_every_missing_file(tmp_path, capsys):
    assert refused(capsys, "import_dataset", tmp_path / "a.csv", tmp_path, "--name", "x") == [
        f"{tmp_path / 'a.csv'}: no such file",
        f"{tmp_path}: no file to read — expected a file, or a folder of CSV, JSON, Parquet or XLSX files",
    ]


def test_import_dataset_prints_one_line_per_problem_and_stores_nothing(tmp_path, capsys):
    path = tmp_path / "bad.jsonl"
    path.write_text(LINES.replace('"overall": 2', '"overall": "two"').replace('"tie"', '"draw"'))

    problems = refused(capsys, "import_dataset", path, "--name", "Bad")

    assert [line.split(" — ")[0] for line in problems] == [
        f'{path}:2: candidates[0].scores.overall: "two"',
        f'{path}:2: votes[0].choice: "draw"',
    ]
    assert not Dataset.objects.exists()


def test_import_dataset_counts_one_as_one(dataset_file, capsys):
    call_command("import_dataset", str(dataset_file), "--name", "Articles")

    printed = "Articles: 2 contexts, 3 candidates, 1 human score, 1 vote; attributes: overall\n"
    assert capsys.readouterr().out == printed


def test_export_dataset_writes_what_import_dataset_reads(dataset_file, tmp_path, capsys):
    call_command("import_dataset", str(dataset_file), "--name", "Articles")

    call_command("export_dataset", "Articles", "--output", str(tmp_path / "out.jsonl"))

    assert (tmp_path / "out.jsonl").read_text() == LINES
    assert sorted(path.name for path in tmp_path.iterdir()) == ["articles.jsonl", "out.jsonl"]


def test_export_dataset_lists_the_known_datasets_and_refuses_a_missing_folder(dataset_file, tmp_path, capsys):
    call_command("import_dataset", str(dataset_file), "--name", "Articles")
    capsys.readouterr()

    problems = refused(capsys, "export_dataset", "Article", "--output", tmp_path / "out.jsonl")

    assert problems == ['dataset: there is no "Article" (did you mean "Articles"?); there are: Articles']
    assert not (tmp_path / "out.jsonl").exists()

    problems = refused(capsys, "export_dataset", "Articles", "--output", tmp_path / "no" / "out.jsonl")

    assert problems == [f"{tmp_path / 'no' / 'out.jsonl'}: no such folder {tmp_path / 'no'}"]


def test_import_dataset_refuses_an_owner_who_is_no_researcher(dataset_file, capsys):
    make_user("ann", "annotator")

    unknown = refused(capsys, "import_dataset", dataset_file, "--name", "Own", "--owner", "ann")

    assert unknown == ['owner: there is no researcher "ann"']
