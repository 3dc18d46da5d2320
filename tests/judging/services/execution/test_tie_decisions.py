"""Runs whose judge may choose a tie."""

import pytest

from evenhand.engine import Answer
from evenhand.formats import SourceFile, read_comparisons
from judging.models import Comparison
from judging.services.datasets.recorded.answer_rows import COMPARISONS
from judging.services.datasets.recorded.recorded_runs import import_judgments
from judging.services.execution.chunk_execution import execute_chunk
from judging.services.exports.answer_descriptions import describe_answers
from judging.services.exports.exported_answers import NUMERIC_COLUMNS, answer_columns, answer_rows, rows_with_prompts
from judging.services.exports.file_writers import writer_for
from judging.services.plans.generation_settings import GenerationSettings
from judging.services.plans.selection_settings import SelectionSettings
from rankings.loading import answers_of, candidate_table
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import make_dataset, make_run

pytestmark = pytest.mark.django_db

ANSWERS = [
    Answer.from_three_logprobs(-0.5, -2.0, -1.5, prompt_tokens=9),
    Answer.from_three_logprobs(-3.0, -0.25, -1.5, prompt_tokens=9),
    Answer.from_three_logprobs(-1.5, -2.0, -0.5, prompt_tokens=9),
]


def judged_run(dataset=None):
    """Three answers each, over and over: the first text, the second, a tie."""
    run = make_run(dataset or make_dataset(candidates=(3,)), prompt="pairwise-tie-1")
    answers = iter(ANSWERS * 2)
    execute_chunk(run.chunks.get().pk, load=lambda settings: FakeEngine(lambda question: next(answers)))
    run.refresh_from_db()
    return run


def test_decision_is_stored_as_a_choice_with_three_log_probabilities_and_counts_in_figures():
    run = judged_run()

    rows = run.comparisons.order_by("pk").values_list("p_first", "choice", "raw_first", "raw_second", "raw_tie")
    assert list(rows[:3]) == [
        (None, "first", -0.5, -2.0, -1.5),
        (None, "second", -3.0, -0.25, -1.5),
        (None, "tie", -1.5, -2.0, -0.5),
    ]
    assert [row.decision for row in run.comparisons.order_by("pk")[:3]] == ["first", "second", "tie"]
    assert run.status == "done"

    answers = answers_of(candidate_table(run.dataset), run)

    assert sorted(answers.comparisons.p_first) == [0.0, 0.0, 0.5, 0.5, 1.0, 1.0]


def test_export_of_ties_reads_back_the_same(tmp_path):
    run = judged_run()
    file = tmp_path / "run.csv"

    rows = rows_with_prompts(run, renderer=FakeEngine())
    writer_for(".csv", columns=answer_columns(run, prompts=True), numbers=NUMERIC_COLUMNS)(rows, file)
    records = read_comparisons([SourceFile("run.csv", file.read_bytes())])
    (again,) = import_judgments(COMPARISONS, records, dataset=run.dataset, judge_name="again")

    columns = ("first", "second", "outcome", "p_first", "choice", "raw_first", "raw_second", "raw_tie")
    assert list(again.comparisons.order_by("pk").values_list(*columns)) == list(
        run.comparisons.order_by("pk").values_list(*columns)
    )
    assert [row["raw_tie"] for row in answer_rows(again)] == [row["raw_tie"] for row in answer_rows(run)]


def test_export_without_ties_has_no_tie_columns():
    run = make_run()

    assert not {"raw_tie", "label_tie"} & set(answer_columns(run, prompts=True))


def test_export_of_samples_counts_ties_and_reads_back_the_same(tmp_path):
    run = make_run(
        make_dataset(candidates=(2,)),
        prompt="pairwise-tie-1",
        generation=GenerationSettings(samples=4, temperature=1.0),
    )
    texts = iter(["C", "A", "C", "dunno"] * 2)
    execute_chunk(run.chunks.get().pk, load=lambda settings: FakeEngine(generate=lambda request: next(texts)))
    file = tmp_path / "run.jsonl"

    writer_for(".jsonl", columns=answer_columns(run, prompts=False), numbers=NUMERIC_COLUMNS)(answer_rows(run), file)

    records = read_comparisons([SourceFile("run.jsonl", file.read_bytes())])
    assert [(record.choice, record.p_first) for record in records] == [("tie", None)] * 2
    (row, _) = answer_rows(run)
    assert [row[f"samples_{read}"] for read in ("first", "second", "tie", "unparsed")] == [1, 0, 2, 1]
    assert describe_answers(run) == ("4 texts sampled per answer at temperature 1: the majority of decisions and ties")


def test_adaptive_run_uses_choices_without_p_first():
    dataset = make_dataset(candidates=(4,))
    run = make_run(dataset, prompt="comparative-tie-1", selection=SelectionSettings("bt-optimal", 10, hold_out=0.0))

    execute_chunk(run.chunks.get().pk, load=lambda settings: FakeEngine())

    assert Comparison.objects.filter(run=run).exclude(choice="").count() == 10
