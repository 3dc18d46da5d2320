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
    assert printed.err.strip() == '1 context has fewer than two candidates, so there is nothing to compare: "c2"'


def test_import_dataset_names_every_missing_file(tmp_path, capsys):
    problems = refused(capsys, "import_dataset", tmp_path / "a.csv", tmp_path, "--name", "x")

    assert problems == [
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


def test_import_dataset_reports_a_taken_name_with_the_problems_of_the_file(dataset_file, tmp_path, capsys):
    call_command("import_dataset", str(dataset_file), "--name", "Taken")
    capsys.readouterr()
    path = tmp_path / "bad.jsonl"
    path.write_text(LINES.replace('"tie"', '"draw"'))

    problems = refused(capsys, "import_dataset", path, "--name", "Taken")

    assert [line.split(" — ")[0] for line in problems] == [
        'name: a dataset "Taken" exists; choose another name',
        f'{path}:2: votes[0].choice: "draw"',
    ]


def test_import_dataset_refuses_an_unknown_format(dataset_file, capsys):
    [problem] = refused(capsys, "import_dataset", dataset_file, "--name", "x", "--format", "xml")

    assert problem.startswith(f'{dataset_file}: format: "xml" — expected one of evenhand, csv, ')


def test_export_dataset_writes_what_import_dataset_reads(dataset_file, tmp_path, capsys):
    call_command("import_dataset", str(dataset_file), "--name", "Articles")

    call_command("export_dataset", "Articles", "--output", str(tmp_path / "out.jsonl"))

    assert (tmp_path / "out.jsonl").read_text() == LINES
    assert sorted(path.name for path in tmp_path.iterdir()) == ["articles.jsonl", "out.jsonl"]


def test_export_dataset_lists_the_known_datasets(dataset_file, tmp_path, capsys):
    call_command("import_dataset", str(dataset_file), "--name", "Articles")
    capsys.readouterr()

    problems = refused(capsys, "export_dataset", "Article", "--output", tmp_path / "out.jsonl")

    assert problems == ['dataset: there is no "Article" (did you mean "Articles"?); there are: Articles']
    assert not (tmp_path / "out.jsonl").exists()


def test_export_dataset_refuses_a_missing_folder(dataset_file, tmp_path, capsys):
    call_command("import_dataset", str(dataset_file), "--name", "Articles")
    capsys.readouterr()

    problems = refused(capsys, "export_dataset", "Articles", "--output", tmp_path / "no" / "out.jsonl")

    assert problems == [f"{tmp_path / 'no' / 'out.jsonl'}: no such folder {tmp_path / 'no'}"]


def test_import_dataset_is_open_unless_it_is_private_for_an_owner(dataset_file):
    rita, _ = make_user("rita", "researcher"), make_user("olaf", "researcher")

    call_command("import_dataset", str(dataset_file), "--name", "Open")
    call_command("import_dataset", str(dataset_file), "--name", "Own", "--owner", "rita", "--private")

    assert [(row.name, row.owner, row.visibility) for row in Dataset.objects.all()] == [
        ("Open", None, "open"),
        ("Own", rita, "private"),
    ]


def test_import_dataset_refuses_an_owner_who_is_no_researcher(dataset_file, capsys):
    make_user("ann", "annotator")

    unknown = refused(capsys, "import_dataset", dataset_file, "--name", "Own", "--owner", "ann")
    missing = refused(capsys, "import_dataset", dataset_file, "--name", "Own", "--private")

    assert unknown == ['owner: there is no researcher "ann"']
    assert missing == ["--private: expected an owner too, for example --owner rita"]


def test_import_dataset_adds_attributes_that_the_files_do_not_name(tmp_path, capsys):
    table = tmp_path / "systems.csv"
    table.write_text("article,A,B\nOne.,Good text.,Bad text.\n")
    columns = ["--map", "context_text=article", "--map", "text:A=A", "--map", "text:B=B"]

    call_command(
        "import_dataset", str(table), "--name", "Own", "--layout", "wide", *columns, "--attribute", "coherence"
    )

    assert [one.name for one in Dataset.objects.get(name="Own").attributes.all()] == ["coherence"]
    assert capsys.readouterr().out.strip().endswith("attributes: coherence")
