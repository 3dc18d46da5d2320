"""Scoring runs: one score per candidate, asked, stored and exported."""

import pytest

from evenhand.engine import ScoreAnswer
from evenhand.formats import SourceFile, read_scores
from evenhand.refusals import Refused
from judging.models import Candidate, HumanScore
from judging.services.datasets.recorded.answer_rows import SCORES
from judging.services.datasets.recorded.recorded_runs import import_judgments
from judging.services.execution.chunk_execution import execute_chunk
from judging.services.exports.exported_answers import NUMERIC_COLUMNS, answer_columns, answer_rows, rows_with_prompts
from judging.services.exports.file_writers import writer_for
from judging.services.plans.selection_settings import SelectionSettings
from judging.services.runs.progress import progress
from judging.services.runs.run_lifecycle import cancel, resume
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import make_dataset, make_run
from tests.rankings.report.report_figures import report_json

pytestmark = pytest.mark.django_db


def judge(run, engine, **options):
    for chunk in run.chunks.all():
        execute_chunk(chunk.pk, load=lambda settings: engine, **options)
    run.refresh_from_db()


def test_scoring_run_asks_about_each_candidate_alone():
    run = make_run(make_dataset(candidates=(2, 1)), prompt="scoring-1")
    engine = FakeEngine(score=lambda question: 7.25 if "Summary: Summary a " in question.text else 3.5)

    judge(run, engine)

    assert list(run.scores.values_list("context__key", "candidate__key", "value", "outcome", "text")) == [
        ("c0", "a", 7.25, "answered", "7"),
        ("c0", "b", 3.5, "answered", "4"),
        ("c1", "a", 7.25, "answered", "7"),
    ]
    assert engine.asked[0].text == (
        "Article 0.\n\nSummary: Summary a of article 0.\n\n"
        "Provide a score between 1 and 10 that measures the summary's coherence"
    )
    assert (engine.asked[0].answer_prefix, list(engine.asked[0].labels())) == ("Score:", list(range(1, 11)))
    assert (run.is_scoring, run.planned, run.status, run.prompt_tokens > 0) == (True, 3, "done", True)


def test_second_prompt_asks_by_the_adjective():
    run = make_run(make_dataset(candidates=(1,)), prompt="scoring-2")
    engine = FakeEngine()

    judge(run, engine)

    assert engine.asked[0].text == (
        "Context: Article 0.\n\nSummary: Summary a of article 0.\n\n"
        "Score the response between 1 and 10 based on how coherent the summary is"
    )


def test_outcome_of_each_question_is_stored_and_counted():
    run = make_run(make_dataset(candidates=(3,)), prompt="scoring-1")
    answers = iter([ScoreAnswer(score=2.0), ScoreAnswer(unparsed=True, text="good\x00"), ScoreAnswer(error="too long")])

    judge(run, FakeEngine(score=lambda question: next(answers)))

    assert list(run.scores.values_list("outcome", "value", "text", "error")) == [
        ("answered", 2.0, "", ""),
        ("unparsed", None, "good\ufffd", ""),
        ("error", None, "", "too long"),
    ]
    counted = progress(run)
    assert (counted.asked, counted.answered, counted.unparsed, counted.errors) == (3, 1, 1, 1)


def test_cancelled_scoring_run_continues_with_unscored_candidates():
    run = make_run(make_dataset(candidates=(40,)), prompt="scoring-1")
    engine = FakeEngine()
    judge(run, engine, on_slice=lambda: cancel(run))
    before = run.scores.count()

    judge(resume(run), engine)

    assert 0 < before < 40
    assert (run.scores.count(), len(engine.asked), run.status) == (40, 40, "done")


def test_scoring_run_has_no_pairs_to_choose():
    with pytest.raises(Refused, match=r"^selection: random — this method scores every candidate alone"):
        make_run(prompt="scoring-1", selection=SelectionSettings("random", 3))


def test_resume_retries_errors_of_a_scoring_run_only():
    run = make_run(make_dataset(candidates=(3,)), prompt="scoring-1")
    answers = iter([ScoreAnswer(error="busy"), ScoreAnswer(unparsed=True), ScoreAnswer(score=4.0)])
    judge(run, FakeEngine(score=lambda question: next(answers)))
    engine = FakeEngine(score=lambda question: 9.0)

    judge(resume(run, errors=True), engine)

    assert len(engine.asked) == 1
    assert dict(run.scores.values_list("candidate__key", "value")) == {"a": 9.0, "b": None, "c": 4.0}


def test_export_of_a_scoring_run_is_what_import_scores_reads(tmp_path):
    run = make_run(make_dataset(candidates=(2,)), prompt="pointwise-1")
    answers = iter([ScoreAnswer(score=1 / 3 + 1, text="1"), ScoreAnswer(unparsed=True, text="good")])
    judge(run, FakeEngine(score=lambda question: next(answers)))
    file = tmp_path / "scores.csv"

    writer_for(".csv", columns=answer_columns(run, prompts=False), numbers=NUMERIC_COLUMNS)(answer_rows(run), file)
    records = read_scores([SourceFile("scores.csv", file.read_bytes())])
    (copy,) = import_judgments(SCORES, records, dataset=run.dataset, judge_name="copy")

    assert (copy.method, copy.prompt_name, copy.is_scoring) == ("pointwise", "pointwise-1", True)
    assert list(copy.scores.values_list("candidate__key", "value", "outcome", "text")) == [
        ("a", 1 / 3 + 1, "answered", "1"),
        ("b", None, "unparsed", "good"),
    ]


def test_export_with_prompts_shows_what_the_tokenizer_was_given():
    run = make_run(make_dataset(candidates=(1,)), prompt="scoring-1")
    judge(run, FakeEngine())

    (row,) = rows_with_prompts(run, renderer=FakeEngine())

    assert row["prompt_text"].endswith("that measures the summary's coherence")
    assert (row["answer_prefix"], row["label_first"], row["label_second"]) == (" Score:", " 1", " 10")
    assert row["score"] == run.scores.get().value


def test_scoring_run_that_was_asked_here_has_a_report():
    dataset = make_dataset(candidates=(3, 3))
    attribute = dataset.attributes.get()
    for candidate in Candidate.objects.filter(context__dataset=dataset):
        HumanScore.objects.create(attribute=attribute, candidate=candidate, value=candidate.position)
    run = make_run(dataset, prompt="scoring-1")
    judge(run, FakeEngine(score=lambda question: 9.0 if "Summary c" in question.text else 2.0))

    (row, *_) = report_json(dataset)

    assert (row["method"], row["comparisons"], row["errors"]) == ("scoring", 6, 0)
    assert row["accuracy"]["value"] == pytest.approx(5 / 6)
    assert list(row["spearman"]) == ["score"]
