"""Progress of a study's runs."""

from datetime import timedelta

import pytest
from django.utils import timezone

from judging.models import Chunk, Run, Score
from judging.services.studies.answer_counts import AnswerCounts, count_answers_of
from judging.services.studies.study_progress import study_progress
from tests.factories import answer_run, make_dataset, make_judge, make_run

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]


def ended(run: Run) -> Run:
    """Answer a run, and set the time of its end."""
    answer_run(run)
    Run.objects.filter(pk=run.pk).update(finished_at=timezone.now())
    run.refresh_from_db()
    return run


def held(run: Run, *, seconds: float) -> Run:
    """Let a worker hold a chunk of a run that has taken this time."""
    run.chunks.update(status=Chunk.Status.RUNNING, lease_until=timezone.now() + timedelta(minutes=1))
    Run.objects.filter(pk=run.pk).update(status=Run.Status.RUNNING, seconds=seconds)
    run.refresh_from_db()
    return run


def test_counts_are_those_of_each_run():
    dataset = make_dataset(candidates=(3, 3))
    compared, scored, empty = answer_run(make_run(dataset)), make_run(dataset, prompt="scoring-1"), make_run(dataset)
    ids = list(compared.comparisons.values_list("pk", flat=True))
    for some, changes in (
        (ids[:1], {"outcome": "error", "p_first": None}),
        (ids[1:3], {"outcome": "unparsed", "p_first": None}),
        (ids[3:5], {"p_first": 0.2}),
        (ids[5:6], {"p_first": 0.5}),
        (ids[6:7], {"p_first": None, "choice": "tie"}),
        (ids[7:8], {"p_first": None, "choice": "second"}),
    ):
        compared.comparisons.filter(pk__in=some).update(**changes)
    candidate = dataset.contexts.get(key="c0").candidates.get(key="a")
    Score.objects.create(run=scored, context_id=candidate.context_id, candidate=candidate, outcome="error")

    assert count_answers_of([compared, scored, empty]) == {
        compared.pk: AnswerCounts(asked=12, unparsed=2, errors=1, firsts=4 + 0.5 + 0.5, decided=9),
        scored.pk: AnswerCounts(asked=1, errors=1),
        empty.pk: AnswerCounts(),
    }


def test_p_first_counts_ties_as_half():
    assert AnswerCounts(asked=4, firsts=2.5, decided=4).p_first == 0.625
    assert AnswerCounts(asked=4).p_first is None


def test_counts_of_ended_runs_are_read_once(django_assert_num_queries):
    dataset = make_dataset()
    done, active = ended(make_run(dataset)), make_run(dataset)
    count_answers_of([done])

    with django_assert_num_queries(0):
        again = count_answers_of([done])
    assert again[done.pk].asked == 12
    assert count_answers_of([done, active])[active.pk] == AnswerCounts()


def test_counts_of_a_run_that_asks_again_are_counted_again():
    run = ended(make_run())
    count_answers_of([run])
    run.comparisons.all().delete()
    Run.objects.filter(pk=run.pk).update(status=Run.Status.PENDING, finished_at=None)
    run.refresh_from_db()

    assert count_answers_of([run])[run.pk].asked == 0


def test_progress_adds_up_the_runs():
    dataset = make_dataset(candidates=(3, 3))
    done, pending, failed = answer_run(make_run(dataset)), make_run(dataset), make_run(dataset)
    Run.objects.filter(pk=failed.pk).update(status=Run.Status.FAILED)
    failed.refresh_from_db()
    make_run(dataset)

    progress = study_progress([done, pending, failed])

    assert (progress.planned, progress.asked, progress.percent) == (36, 12, 33)
    assert (progress.active, progress.stopped) == (1, 1)
    assert progress.seconds_left is None


def test_time_left_of_a_study_is_that_of_its_slowest_judge():
    dataset = make_dataset(candidates=(3, 3))
    fast, slow = make_judge("fast"), make_judge("slow")
    runs = [
        held(answer_run(make_run(dataset, judge=fast)), seconds=1.2),
        held(answer_run(make_run(dataset, judge=slow)), seconds=12),
    ]
    for run in runs:
        run.comparisons.filter(pk__in=run.comparisons.values("pk")[:6]).delete()
    queued = make_run(dataset, judge=slow)

    progress = study_progress([*runs, queued])

    assert [one.seconds_left for one in progress.runs] == [pytest.approx(1.2), pytest.approx(12), None]
    assert progress.seconds_left == pytest.approx((6 + 12) * 2)


def test_time_left_is_unknown_while_no_worker_has_a_judge():
    dataset = make_dataset()
    running = held(answer_run(make_run(dataset)), seconds=1)
    queued = make_run(dataset, judge=make_judge("other"))

    assert study_progress([running, queued]).seconds_left is None


def test_errors_of_recorded_runs_cannot_be_asked_again():
    dataset = make_dataset()
    run = answer_run(make_run(dataset))
    run.comparisons.filter(pk=run.comparisons.first().pk).update(outcome="error", p_first=None)
    recorded = make_run(dataset)
    recorded.judge = make_judge("elsewhere", backend="recorded", model="")
    recorded.status = Run.Status.CANCELLED

    own, foreign = study_progress([run]), study_progress([recorded])

    assert (own.can_retry_errors, own.can_ask_unparsed, own.can_resume) == (True, False, False)
    assert (foreign.stopped, foreign.can_resume) == (1, False)
