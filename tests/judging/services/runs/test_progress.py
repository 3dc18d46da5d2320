"""The progress of a run."""

from datetime import timedelta

import pytest
from django.utils import timezone

from evenhand.engine import Answer
from judging.models import Chunk, Reasoning, Run
from judging.services.execution.chunk_execution import execute_chunk
from judging.services.execution.lost_work import free_chunks_of_dead_workers, queue_run
from judging.services.plans.selection_settings import SelectionSettings
from judging.services.runs.progress import progress
from judging.services.runs.run_lifecycle import cancel, resume
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import answer_run, make_dataset, make_judge, make_run

pytestmark = pytest.mark.django_db


def test_progress_counts_each_outcome_of_a_run_that_was_cancelled():
    run = make_run(make_dataset(candidates=(11, 11)))
    answers = iter([Answer(unparsed=True), Answer(error="too long"), Answer(unparsed=True)])
    engine = FakeEngine(lambda question: next(answers, 0.5))
    execute_chunk(run.chunks.first().pk, load=lambda settings: engine)
    cancel(run)
    run.refresh_from_db()

    now = progress(run)

    assert (now.status, now.planned, now.asked) == ("cancelled", 220, 110)
    assert (now.answered, now.unparsed, now.errors, now.first_error) == (107, 2, 1, "too long")
    assert (now.per_second, now.seconds_left, now.stale) == (None, None, False)


def test_progress_has_a_speed_while_workers_judge():
    run = make_run(make_dataset(candidates=(11, 11, 11)))
    first, second, third = run.chunks.all()
    execute_chunk(first.pk, load=lambda settings: FakeEngine())
    Run.objects.filter(pk=run.pk).update(seconds=11.0)
    for chunk in (second, third):
        Chunk.objects.claim(chunk.pk, duration=timedelta(seconds=30))
    Chunk.objects.claim(make_run(make_dataset("Others")).chunks.get().pk, duration=timedelta(seconds=30))
    run.refresh_from_db()

    now = progress(run)

    assert (now.per_second, now.seconds_left, now.stale) == (20.0, 11.0, False)


def test_progress_ignores_reasonings_outside_the_run():
    run = make_run(make_dataset(candidates=(3, 2)), prompt="prepair-1", selection=SelectionSettings("full", contexts=1))
    Reasoning.objects.create(
        judge=run.judge,
        question_sha256=run.reasoning_sha256,
        candidate=run.dataset.contexts.get(key="c1").candidates.first(),
        text="Fine.",
        max_new_tokens=run.spec["method"]["max_new_tokens"],
    )

    assert (progress(run).reasonings_done, progress(run).reasonings_planned) == (0, 3)


@pytest.mark.parametrize(("seconds_ago", "stale"), [(30, False), (90, True)])
def test_unclaimed_run_is_stale_after_a_minute(seconds_ago, stale):
    run = make_run()
    run.queued_at = timezone.now() - timedelta(seconds=seconds_ago)

    assert progress(run).stale == stale


def test_cost_counts_prompts_and_the_longest_possible_answers():
    judge = make_judge("gpt", backend="openai", base_url="http://localhost/v1", price_input=2.5, price_output=10)
    run = answer_run(make_run(make_dataset(candidates=(2,)), judge=judge, prompt="prepair-1"))
    run.prompt_tokens = 1_000_000
    candidate = run.dataset.contexts.first().candidates.first()
    Reasoning.objects.create(
        judge=judge, question_sha256=run.reasoning_sha256, candidate=candidate, generated_tokens=184, max_new_tokens=256
    )

    assert progress(run).cost == pytest.approx(2.5 + (2 * 8 + 184) * 10 / 1_000_000)


def test_cost_of_a_judge_without_prices_is_not_known():
    assert progress(make_run()).cost is None


def log_of(run: Run) -> list[tuple[str, str]]:
    return [(event.kind, event.detail) for event in run.events.order_by("pk")]


def test_log_of_a_run_tells_what_happened_to_it_as_a_whole():
    run, other = make_run(make_dataset(candidates=(11, 11))), make_run(make_dataset("Others"))
    queue_run(run)
    cancel(run)
    queue_run(resume(run))
    for chunk in run.chunks.all():
        execute_chunk(chunk.pk, load=lambda settings: FakeEngine())
    queue_run(other)

    assert [kind for kind, _ in log_of(run)] == [
        *("queued", "cancelled", "resumed", "queued"),
        *("loading", "loaded", "done"),
    ]


def test_log_names_the_chunk_of_a_worker_that_died():
    run = make_run(make_dataset())
    queue_run(run)
    Chunk.objects.claim(run.chunks.get().pk, duration=timedelta(seconds=-1))

    free_chunks_of_dead_workers()

    assert log_of(run)[-1] == ("worker-lost", "chunk 1")


def test_run_is_loading_until_its_model_is_ready():
    run = make_run(make_dataset(candidates=(11, 11)))
    seen = []

    def load(settings):
        seen.append(progress(run).is_loading)
        return FakeEngine()

    for chunk in run.chunks.all():
        execute_chunk(chunk.pk, load=load)

    assert seen == [True, False]
    assert not progress(run).is_loading


@pytest.mark.parametrize(("minutes", "seconds"), [(0, 2), (5, 5), (60, 15)])
def test_page_asks_less_often_for_the_progress_of_an_older_run(minutes, seconds):
    run = make_run(make_dataset())
    Chunk.objects.claim(run.chunks.get().pk, duration=timedelta(seconds=30))
    Run.objects.filter(pk=run.pk).update(queued_at=timezone.now() - timedelta(minutes=minutes))
    run.refresh_from_db()

    assert progress(run).poll_seconds == seconds
