"""The command publish."""

import pytest

from tests.commands import printed, printed_json, refused
from tests.published_packages import make_study

pytestmark = pytest.mark.django_db


def test_publish_reports_what_it_wrote(tmp_path, capsys):
    dataset = make_study()
    run = dataset.runs.first()

    done = printed_json(capsys, "publish", "--dataset", "Study", "--run", run.pk, "--output", tmp_path / "study.zip")

    assert done == {
        "dataset": "Study",
        "output": str(tmp_path / "study.zip"),
        "runs": [run.pk],
        "files": [
            *("dataset.jsonl", "votes.jsonl", f"judgments/run-{run.pk}.jsonl", "runs.json"),
            *("README.md", "croissant.json", "recompute.sh", "SHA256SUMS"),
        ],
        "warnings": ["not given, but required by Croissant: creator, url; add to croissant.json, or publish again"],
    }


def test_publish_warns_of_a_dataset_without_a_licence(tmp_path, capsys):
    make_study(licence="")

    done = printed_json(capsys, "publish", "--dataset", "Study", "--output", tmp_path / "package")

    assert "the dataset states no licence" in done["warnings"][0]
    assert "**No licence is stated.**" in (tmp_path / "package" / "README.md").read_text()
    assert "license" not in (tmp_path / "package" / "croissant.json").read_text().split("distribution")[0]


def test_publish_writes_into_an_empty_folder_and_refuses_one_in_use_and_an_unknown_run(tmp_path, capsys):
    make_study()
    (tmp_path / "package").mkdir()
    printed(capsys, "publish", "--dataset", "Study", "--output", tmp_path / "package")

    assert refused(capsys, "publish", "--dataset", "Study", "--output", tmp_path / "package") == [
        f"output: {tmp_path / 'package'} exists already; give a new or empty folder, or a name that ends in .zip"
    ]

    problems = refused(capsys, "publish", "--dataset", "Study", "--run", 99, "--output", tmp_path / "study.zip")

    assert problems[0].startswith("run: the dataset has no run 99; there are: ")
    assert [path.name for path in tmp_path.iterdir()] == ["package"]
