"""Retries of errors: only the failed pairs are asked again, each once."""

from datetime import timedelta

import pytest
from django.utils import timezone

from evenhand.engine import Answer
from evenhand.refusals import Refused
from judging.models import Chunk, Run
from judging.services.plans.selection_settings import SelectionSettings
from judging.services.runs.progress import count_outcomes
from judging.services.runs.run_lifecycle import resume
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import make_dataset, make_run
from tests.judged_runs import judge_all
from tests.rankings.report.report_figures import report_json

pytestmark = pytest.mark.django_db

BROKEN = Answer(error="the endpoint answered 400")
UNPARSED = Answer(unparsed=True, text="neither")


def answering(*answers):
    """An engine that gives these answers, and then 0.5."""
    left = iter(answers)
    return FakeEngine(lambda question: next(left, 0.5))


@pytest.fixture
def run():
    """Done: of the 6 ordered pairs of one context, the first is answered, 2 are errors, 1 unparsed, 2 answered."""
    run = make_run(make_dataset(candidates=(3,)))
    judge_all(run, answering(0.75, BROKEN, UNPARSED, BROKEN))
    return run


def outcomes(run):
    """Return the numbers of answered, unparsed and failed pairs."""
    return list(count_outcomes(run).values())


def test_resume_retries_errors_only(run):
    kept = set(run.comparisons.exclude(outcome="error").values_list("pk", flat=True))
    engine = answering(0.25, 0.25)

    resume(run, errors=True)
    judge_all(run, engine)

    assert (run.status, len(engine.asked), outcomes(run)) == ("done", 2, [5, 1, 0])
    assert kept < set(run.comparisons.values_list("pk", flat=True))
    assert run.comparisons.filter(p_first=0.25).count() == 2


def test_lists_count_the_answers_of_a_done_run_only_after_some_are_asked_again(run):
    listed = Run.objects.with_progress().values_list("asked", "asked_in_all")
    assert listed.get() == (6, 6)

    resume(run, errors=True)
    assert listed.get() == (4, None)

    judge_all(run, answering(0.25))
    assert listed.get() == (6, 6)
    run.comparisons.all().delete()
    assert listed.get() == (6, 6)


def test_only_chunks_with_an_error_are_reopened():
    run = make_run(make_dataset(candidates=(11, 11)))
    judge_all(run, answering(*[0.5] * 110, BROKEN))

    resume(run, errors=True)

    assert list(run.chunks.values_list("status", flat=True)) == ["done", "pending"]


def test_run_without_errors_stays_done():
    run = make_run()
    judge_all(run, FakeEngine())

    assert resume(run, errors=True).status == "done"


def test_run_that_is_resumed_without_errors_keeps_them(run):
    assert resume(run).status == "done"
    assert outcomes(run) == [3, 1, 2]


def test_retry_leaves_other_runs_alone(run):
    other = make_run(make_dataset("Others", candidates=(3,)))
    judge_all(other, answering(BROKEN))
    Chunk.objects.filter(run=other).update(status="running", lease_until=timezone.now() + timedelta(seconds=30))

    resume(run, errors=True)

    assert (outcomes(run), outcomes(other)) == ([3, 1, 0], [5, 0, 1])
    assert other.chunks.get().status == "running"


def test_run_being_judged_keeps_its_errors(run):
    chunk = run.chunks.get()
    Chunk.objects.filter(pk=chunk.pk).update(status="pending")
    Chunk.objects.claim(chunk.pk, duration=timedelta(seconds=30))

    with pytest.raises(Refused, match=f"run {run.pk} is being judged; wait for it, or cancel it first"):
        resume(run, errors=True)

    assert outcomes(run) == [3, 1, 2]


def test_retry_ends_expired_leases(run):
    chunk = run.chunks.get()
    Chunk.objects.filter(pk=chunk.pk).update(status="pending")
    stale = Chunk.objects.claim(chunk.pk, duration=timedelta(seconds=-1))

    resume(run, errors=True)

    assert not Chunk.objects.extend(stale)
    assert not Chunk.objects.complete(stale)


@pytest.mark.parametrize(("prompt", "written"), [("prepair-1", 2), ("cot-1", 2), ("geval-1", 1)])
def test_empty_reasonings_are_errors_and_are_written_again(prompt, written):
    run = make_run(make_dataset(candidates=(2,)), prompt=prompt)
    silent = FakeEngine(generate=lambda request: " ")
    judge_all(run, silent)
    before = outcomes(run)
    engine = FakeEngine()

    resume(run, errors=True)
    judge_all(run, engine)

    assert (silent.asked, before) == ([], [0, 0, 2])
    assert (len(engine.requested), outcomes(run)) == (written, [2, 0, 0])


def test_retry_keeps_the_drawn_pairs_of_an_adaptive_run():
    run = make_run(make_dataset(candidates=(4,)), selection=SelectionSettings("bt-optimal", comparisons=8))
    judge_all(run, answering(BROKEN))
    drawn = run.chunks.get().pairs

    resume(run, errors=True)
    judge_all(run, FakeEngine())

    assert (run.status, run.chunks.get().pairs, outcomes(run)) == ("done", drawn, [8, 0, 0])


def test_report_is_the_same_after_a_retry_in_another_order(run):
    resume(run, errors=True)
    judge_all(run, answering(BROKEN, 1.0))
    before = report_json(run.dataset)[0]

    resume(run, errors=True)
    between = report_json(run.dataset)[0]
    judge_all(run, answering(1.0))
    after = report_json(run.dataset)[0]

    assert [(row["comparisons"], row["errors"]) for row in (before, between, after)] == [(4, 1), (4, 0), (5, 0)]
