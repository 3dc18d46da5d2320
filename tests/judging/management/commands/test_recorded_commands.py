"""The commands that import and export recorded judgments."""

import json

import pytest
from django.core.management import call_command

from judging.models import Comparison, HumanScore, Judge, Run
from judging.services.execution.chunk_execution import execute_chunk
from tests.commands import printed_json, refused
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import make_dataset, make_judge, make_run

pytestmark = pytest.mark.django_db


def test_import_comparisons_prints_the_stored_run(capsys, tmp_path):
    make_dataset()
    file = tmp_path / "gpt.csv"
    file.write_text("context,attribute,first,second,choice\nc0,coherence,a,b,first\nc0,coherence,b,a,unparsed\n")

    rows = printed_json(capsys, "import_comparisons", str(file), "--dataset", "Summaries", "--judge", "GPT-4")["runs"]

    assert rows == [
        {
            "run": Run.objects.get().pk,
            "judge": "GPT-4",
            "method": "comparative",
            "prompt": "recorded",
            "attribute": "coherence",
            "comparisons": 1,
            "unparsed": 1,
            "errors": 0,
            "problems": {"no-verdict": 1},
            "reasonings_cut": 0,
        }
    ]


def test_a_judge_that_is_typed_has_the_name_that_a_file_would_give_it(capsys, tmp_path):
    make_dataset()
    file = tmp_path / "gpt.csv"
    file.write_text("context,attribute,first,second,choice\nc0,coherence,a,b,first\n")

    printed_json(capsys, "import_comparisons", str(file), "--dataset", "Summaries", "--judge", " Zoe\u0308 ")

    assert Judge.objects.filter(name="Zo\u00eb").exists()


def test_import_scores_prints_the_stored_run(capsys, tmp_path):
    make_dataset()
    file = tmp_path / "unieval.jsonl"
    lines = [
        {"context": "c0", "attribute": "coherence", "candidate": key, "score": score}
        for key, score in [("a", 4), ("b", None)]
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))

    (row,) = printed_json(capsys, "import_scores", str(file), "--dataset", "Summaries", "--judge", "UniEval")["runs"]

    assert (row["scores"], row["unparsed"], row["method"]) == (1, 1, "scoring")
    assert "comparisons" not in row


def test_import_reports_every_problem_of_every_file(capsys, tmp_path):
    make_dataset()
    header = "context,attribute,first,second,choice\n"
    one, other = tmp_path / "one.csv", tmp_path / "other.csv"
    one.write_text(header + "c0,coherence,a,x,first\n")
    other.write_text(header + "c0,coherence,a,b,first\nc7,coherence,a,b,first\n")

    lines = refused(capsys, "import_comparisons", str(one), str(other), "--dataset", "Summaries", "--judge", "GPT-4")

    assert lines == [
        f'{one}:2: second: "x" — expected a candidate of context "c0"',
        f'{other}:3: context: "c7" — expected a context of the dataset',
    ]
    assert not Run.objects.exists()


def test_import_reports_conflicts_with_the_dataset_and_problems_of_the_file_together(capsys, tmp_path):
    make_dataset()
    make_judge("flan")
    file = tmp_path / "gpt.csv"
    file.write_text(
        "context,attribute,first,second,choice\nc0,style,a,b,maybe\nc9,coherence,a,b,tie\nc0,coherence,a,,tie\n"
    )

    lines = refused(capsys, "import_comparisons", str(file), "--dataset", "Summaries", "--judge", "flan")

    assert [line.split(" — ")[0] for line in lines] == [
        'judge: "flan" is a model that judges here; give recorded judgments another name',
        f'{file}:2: choice: "maybe"',
        f'{file}:2: attribute: "style"',
        f'{file}:3: context: "c9"',
        f"{file}:4: second: missing",
    ]


def test_import_reports_an_unknown_dataset_with_the_problems_of_the_file(capsys, tmp_path):
    file = tmp_path / "uni.csv"
    file.write_text("context,attribute,candidate,score\nc0,coherence,a,high\n")

    lines = refused(capsys, "import_scores", str(file), "--dataset", "Poems", "--judge", "UniEval")

    assert [line.split(" — ")[0] for line in lines] == [
        'dataset: there is no "Poems"; there are none yet',
        f'{file}:2: score: "high"',
    ]


def test_export_writes_a_file_that_import_reads(capsys, tmp_path):
    run = make_run()
    execute_chunk(run.chunks.get().pk, load=lambda settings: FakeEngine())
    file = tmp_path / "run.csv"

    call_command("export_comparisons", str(run.pk), "--output", str(file))

    assert capsys.readouterr().out == f"12 comparisons written to {file}\n"
    (row,) = printed_json(capsys, "import_comparisons", str(file), "--dataset", "Summaries", "--judge", "again")["runs"]
    assert (row["comparisons"], row["prompt"]) == (12, "comparative-1")
    copy = Run.objects.get(pk=row["run"])
    columns = ("context", "first", "second", "p_first")
    assert list(copy.comparisons.values_list(*columns)) == list(run.comparisons.values_list(*columns))


@pytest.mark.parametrize("name", ["run.xlsx", "missing/run.csv"])
def test_export_refuses_a_file_it_cannot_write(capsys, tmp_path, name):
    run = make_run()

    (line,) = refused(capsys, "export_comparisons", str(run.pk), "--output", str(tmp_path / name))

    assert "xlsx" in line or "no such folder" in line
    assert list(tmp_path.iterdir()) == []


def test_import_stores_the_model_of_a_new_judge_and_refuses_another_one(capsys, tmp_path):
    make_dataset()
    file = tmp_path / "scores.csv"
    file.write_text("context,attribute,candidate,score\nc0,coherence,a,1\n")
    command = ("import_scores", str(file), "--dataset", "Summaries", "--judge", "hosted")
    printed_json(capsys, *command, "--model", "gpt-4")

    problems = refused(capsys, *command, "--model", "gpt-5")

    assert Judge.objects.get(name="hosted").model == "gpt-4"
    assert problems[0] == 'model: "gpt-5" — judge "hosted" has another model; leave it out, or name another judge'


def test_import_ratings_reads_columns_of_any_name(capsys, tmp_path):
    make_dataset()
    file = tmp_path / "ratings.csv"
    file.write_text("context,attribute,candidate,worker,stars\nc0,coherence,a,7,4\n")
    mapping = [f"{name}={name}" for name in ("context", "attribute", "candidate")] + ["rater=worker", "score=stars"]

    result = printed_json(
        *(capsys, "import_ratings", str(file), "--dataset", "Summaries"),
        *(word for pair in mapping for word in ("--map", pair)),
    )

    assert result == {"dataset": "Summaries", "ratings": 1, "raters": 1}
    assert list(HumanScore.objects.values_list("candidate__key", "rater", "value")) == [("a", "7", 4)]


def test_import_reads_replies_by_a_verdict_pattern(capsys, tmp_path):
    make_dataset()
    file = tmp_path / "judgelm.csv"
    file.write_text("context,attribute,first,second,output\nc0,coherence,a,b,8 6\nc0,coherence,b,a,I cannot say.\n")
    columns = ("context=context", "attribute=attribute", "first=first", "second=second", "reply=output")
    mapping = [word for column in columns for word in ("--map", column)]
    where = ("--dataset", "Summaries", "--judge", "JudgeLM", "--verdict-pattern", "two-scores")

    (row,) = printed_json(capsys, "import_comparisons", str(file), *where, *mapping)["runs"]

    assert (row["comparisons"], row["unparsed"], row["problems"]) == (1, 1, {"refusal": 1})


def test_recorded_reply_that_only_repeats_a_candidate_is_unparsed(capsys, tmp_path):
    make_dataset("Other", candidates=(2,))
    make_dataset()
    echo = "Output (a):\nSummary a of article"
    replies = {("a", "b"): echo, ("b", "a"): "Output (b): it is short.", ("b", "c"): echo, ("c", "b"): "Output (a)"}
    lines = [
        {"context": "c0", "attribute": "coherence", "first": first, "second": second, "reply": reply}
        for (first, second), reply in replies.items()
    ]
    file = tmp_path / "replies.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    where = ("--dataset", "Summaries", "--judge", "GPT-4", "--verdict-pattern", "output-letter")

    (row,) = printed_json(capsys, "import_comparisons", str(file), *where)["runs"]

    assert (row["comparisons"], row["unparsed"], row["problems"]) == (3, 1, {"no-verdict": 1})
    assert list(Comparison.objects.filter(outcome="unparsed").values_list("first__key", "text")) == [("a", echo)]


@pytest.mark.realdata
def test_llmbar_verdicts_of_all_judges_are_imported_as_they_are(capsys, shared_data):
    data = shared_data / "data" / "llmbar"
    files = [data / "Natural.json", data / "Adversarial" / "Neighbor.json"]
    printed_json(capsys, "import_dataset", *files, "--name", "LLMBar")

    rows = printed_json(capsys, "import_comparisons", data / "recorded_verdicts.jsonl", "--dataset", "LLMBar")["runs"]

    assert (len(rows), len({row["judge"] for row in rows})) == (58, 6)
    assert sum(row["comparisons"] + row["unparsed"] for row in rows) == 2 * 13_572
    assert sum(row["unparsed"] for row in rows) == 17 * 2 + 12 + 5
