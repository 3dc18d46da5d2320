"""Scoring runs: a score of each candidate alone, asked, stored and taken home."""

import pytest

from judging.engine import ScoreAnswer
from judging.engine.fake import FakeEngine
from judging.exceptions import Refused
from judging.services.choices import Choice
from judging.services.execution import execute_chunk
from judging.services.progress import progress
from judging.services.runs import cancel, resume
from tests.factories import make_dataset, make_run

pytestmark = pytest.mark.django_db


def judge(run, engine, **options):
    for chunk in run.chunks.all():
        execute_chunk(chunk.pk, load=lambda settings: engine, **options)
    run.refresh_from_db()


def test_scoring_run_asks_about_each_candidate_alone():
    run = make_run(make_dataset(candidates=(2, 1)), prompt="scoring-1")
    engine = FakeEngine(score=lambda question: 7.25 if "Summary: Summary a " in question.text else 3.5)

    judge(run, engine)

    rows = run.scores.values_list("context__key", "candidate__key", "value", "outcome", "text")
    assert list(rows) == [
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


def test_what_became_of_each_question_is_stored_and_counted():
    run = make_run(make_dataset(candidates=(3,)), prompt="scoring-1")
    answers = iter([ScoreAnswer(score=2.0), ScoreAnswer(unparsed=True, text="good\x00"), ScoreAnswer(error="too long")])

    judge(run, FakeEngine(score=lambda question: next(answers)))

    rows = run.scores.values_list("outcome", "value", "text", "error")
    assert list(rows) == [
        ("answered", 2.0, "", ""),
        ("unparsed", None, "good\ufffd", ""),
        ("error", None, "", "too long"),
    ]
    counted = progress(run)
    assert (counted.asked, counted.answered, counted.unparsed, counted.errors) == (3, 1, 1, 1)


def test_cancelled_scoring_run_goes_on_with_what_has_no_score():
    run = make_run(make_dataset(candidates=(40,)), prompt="scoring-1")
    engine = FakeEngine()
    judge(run, engine, on_slice=lambda: cancel(run))
    before = run.scores.count()

    judge(resume(run), engine)

    assert 0 < before < 40
    assert (run.scores.count(), len(engine.asked), run.status) == (40, 40, "done")


def test_scoring_run_has_no_pairs_to_choose():
    with pytest.raises(Refused, match=r"^selection: random — this method asks about every candidate alone"):
        make_run(prompt="scoring-1", choice=Choice("random", 3))


def test_scoring_run_may_be_of_the_first_contexts_only():
    run = make_run(make_dataset(candidates=(2, 2)), prompt="scoring-1", choice=Choice(context_limit=1))

    assert run.planned == 2
