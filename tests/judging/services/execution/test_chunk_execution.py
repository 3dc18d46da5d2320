"""Judging a chunk: each pair once, slice by slice, while the lease holds."""

import dataclasses
from datetime import timedelta

import pytest
from django.db import DatabaseError
from django.utils import timezone

from evenhand.engine import Answer, LoadFailed
from judging.models import Chunk, Run
from judging.services.execution.chunk_execution import execute_chunk
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import make_dataset, make_run

pytestmark = pytest.mark.django_db


def judge_first_chunk(run, engine, **options):
    execute_chunk(run.chunks.first().pk, load=lambda settings: engine, **options)
    run.refresh_from_db()


def test_chunk_is_judged_with_the_candidates_as_shown():
    run = make_run(make_dataset(candidates=(2,)))
    engine = FakeEngine(lambda question: 0.9 if "Summary A: Summary a " in question.text else 0.2)

    judge_first_chunk(run, engine)

    rows = run.comparisons.values_list("context__key", "first__key", "second__key", "p_first", "outcome")
    assert list(rows) == [("c0", "a", "b", 0.9, "answered"), ("c0", "b", "a", 0.2, "answered")]
    assert engine.asked[0].text == (
        "Article 0.\n\nSummary A: Summary a of article 0.\n\nSummary B: Summary b of article 0.\n\n"
        "Which Summary is more coherent, Summary A or Summary B?"
    )
    assert (run.status, run.chunks.get().status) == ("done", "done")


def test_answers_keep_their_log_probabilities_and_outcomes():
    run = make_run(make_dataset(candidates=(3,)))
    answers = iter(
        [
            Answer(p_first=0.75, logprob_first=-0.5, logprob_second=-1.6, prompt_tokens=10),
            Answer(unparsed=True, text="neither\x00\ud83d", prompt_tokens=11),
            Answer(error="the prompt has 900 tokens, the model takes 512"),
            *[Answer(p_first=0.5, prompt_tokens=1)] * 3,
        ]
    )

    judge_first_chunk(run, FakeEngine(lambda question: next(answers)))

    rows = run.comparisons.values_list("outcome", "p_first", "raw_first", "raw_second", "text", "error")
    assert list(rows[:3]) == [
        ("answered", 0.75, -0.5, -1.6, "", ""),
        ("unparsed", None, None, None, "neither\ufffd\ufffd", ""),
        ("error", None, None, None, "", "the prompt has 900 tokens, the model takes 512"),
    ]
    assert (run.status, run.prompt_tokens, run.computed_tokens) == ("done", 24, 24)


def test_chunk_that_is_done_is_left_alone():
    run = make_run()
    judge_first_chunk(run, FakeEngine())
    again = FakeEngine()

    judge_first_chunk(run, again)

    assert again.asked == []


def test_chunk_that_another_worker_holds_is_left_alone():
    run = make_run()
    Chunk.objects.claim(run.chunks.get().pk, duration=timedelta(seconds=30))
    engine = FakeEngine()

    judge_first_chunk(run, engine)

    assert engine.asked == []
    assert run.chunks.get().status == "running"


def test_chunk_of_a_dead_worker_is_taken_over():
    run = make_run()
    Chunk.objects.claim(run.chunks.get().pk, duration=timedelta(seconds=-1))

    judge_first_chunk(run, FakeEngine())

    assert (run.status, run.chunks.get().attempt, run.comparisons.count()) == ("done", 2, 12)


def test_worker_that_lost_its_lease_stores_nothing_more():
    run = make_run()
    chunk_id = run.chunks.get().pk
    engine = FakeEngine(lambda question: take_over(chunk_id))

    judge_first_chunk(run, engine)

    assert (run.comparisons.count(), run.prompt_tokens) == (0, 0)
    assert run.chunks.get().status == "running"


def take_over(chunk_id):
    """Claim the chunk as another worker does after the lease has expired."""
    Chunk.objects.filter(pk=chunk_id).update(lease_until=timezone.now() - timedelta(seconds=1))
    Chunk.objects.claim(chunk_id, duration=timedelta(seconds=30))
    return 0.5


def test_judge_that_breaks_after_its_run_was_deleted_fails_no_run():
    run, other = make_run(make_dataset(candidates=(2,))), make_run(make_dataset("Others", candidates=(2,)))

    def load(settings):
        run.delete()
        raise LoadFailed("gone")

    execute_chunk(run.chunks.get().pk, load=load)

    assert list(Run.objects.values_list("pk", "status")) == [(other.pk, "pending")]


def test_database_trouble_does_not_fail_the_run():
    run = make_run()

    def load(settings):
        raise DatabaseError("database is locked")

    with pytest.raises(DatabaseError):
        execute_chunk(run.chunks.get().pk, load=load)

    run.refresh_from_db()
    assert (run.status, run.chunks.get().status) == ("running", "pending")


class OtherEngine(FakeEngine):
    def describe(self):
        return dataclasses.replace(super().describe(), dtype="bfloat16", device="cuda:0", threads=8)


def test_run_is_not_continued_by_another_kind_of_process():
    run = make_run(make_dataset(candidates=(11, 11)))
    first, second = run.chunks.all()
    execute_chunk(first.pk, load=lambda settings: FakeEngine())

    execute_chunk(second.pk, load=lambda settings: OtherEngine())

    run.refresh_from_db()
    assert run.status == "failed"
    assert run.error == (
        "this process may give other answers than the one that began the run: "
        "device is 'cpu' in the run and 'cuda' here; dtype is 'float32' in the run and 'bfloat16' here; "
        "resume the run where it began, or start a new run"
    )
    assert run.comparisons.count() == 110


def test_run_is_done_with_its_last_chunk_and_not_before():
    run = make_run(make_dataset(candidates=(11, 11)))
    first, second = run.chunks.all()

    execute_chunk(second.pk, load=lambda settings: FakeEngine())
    run.refresh_from_db()
    assert (run.status, run.finished_at) == ("running", None)

    execute_chunk(first.pk, load=lambda settings: FakeEngine())
    run.refresh_from_db()
    assert run.status == "done"
    assert run.finished_at >= run.started_at


def test_error_with_unstorable_characters_fails_the_run():
    run = make_run(make_dataset(candidates=(2,)))

    def refuse(settings):
        raise LoadFailed("the endpoint says: \x00\ud83d")

    execute_chunk(run.chunks.get().pk, load=refuse)

    run.refresh_from_db()
    assert (run.status, run.error) == ("failed", "the endpoint says: \ufffd\ufffd")
