"""Scores asked with `judge --method scoring`, and their export."""

import json

import pytest
from django.core.management import call_command

from judging.models import Run
from tests.factories import make_dataset, make_judge

pytestmark = pytest.mark.django_db

JUDGE = ("judge", "--dataset", "Summaries", "--judge", "tiny", "--method", "scoring")


@pytest.fixture
def judge(tiny_model):
    make_dataset(candidates=(3, 2))
    return make_judge(model=str(tiny_model))


def printed(capsys, *arguments):
    call_command(*arguments, "--json")
    return json.loads(capsys.readouterr().out)


def test_judge_scores_every_text_with_each_prompt(capsys, judge):
    rows = printed(capsys, *JUDGE, "--prompt", "scoring-1", "--prompt", "scoring-2")["runs"]

    assert [(row["prompt"], row["scores"], row["errors"]) for row in rows] == [("scoring-1", 5, 0), ("scoring-2", 5, 0)]
    values = Run.objects.get(pk=rows[0]["run"]).scores.values_list("value", flat=True)
    assert all(1 < value < 10 for value in values)
    assert len(set(values)) == 5


def test_exported_scores_are_read_by_import_scores(capsys, judge, tmp_path):
    (row,) = printed(capsys, *JUDGE)["runs"]
    file = str(tmp_path / "scores.jsonl")

    call_command("export_comparisons", str(row["run"]), "--output", file, "--prompts")
    output = capsys.readouterr().out
    (copy,) = printed(capsys, "import_scores", file, "--dataset", "Summaries", "--judge", "copy")["runs"]

    assert output == f"5 scores written to {file}\n"
    assert copy["scores"] == 5
    asked, read = (Run.objects.get(pk=one["run"]).scores.order_by("candidate") for one in (row, copy))
    assert list(read.values_list("candidate", "value", "text")) == list(asked.values_list("candidate", "value", "text"))


@pytest.mark.parametrize(("method", "lowest", "highest"), [("unieval", 0, 1), ("gptscore", -100, 0)])
def test_judge_scores_by_each_further_method(capsys, judge, method, lowest, highest):
    (row,) = printed(capsys, *JUDGE[:-1], method)["runs"]

    values = Run.objects.get(pk=row["run"]).scores.values_list("value", flat=True)
    assert (row["scores"], row["errors"], row["prompt"]) == (5, 0, f"{method}-1")
    assert all(lowest < value < highest for value in values)
    assert len(set(values)) == 5
