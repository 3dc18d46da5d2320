"""Pages of runs: watching one, stopping it, going on with it."""

import os
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from judging.models import Reasoning, Run, RunEvent
from judging.services.judges.package_installation import Installation, write_installation
from tests.factories import answer_run, make_dataset, make_judge, make_run, make_user

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("name", ["run", "run-comparisons"])
def test_pages_of_a_run_show_the_steps_that_the_judge_wrote_first(client, researcher, name):
    run = make_run(prompt="geval-1", owner=researcher)
    Reasoning.objects.create(
        judge=run.judge, question_sha256=run.reasoning_sha256, max_new_tokens=512, text="1. Read.", complete=False
    )

    page = client.get(reverse(name, args=[run.pk])).content.decode()

    assert "1. Read.</pre>" in page
    assert "Cut off after 512 tokens." in page


def test_page_of_a_run_warns_of_texts_that_reached_their_limit(client, researcher):
    whole, cut = (make_run(make_dataset(name), prompt="geval-1", owner=researcher) for name in ("One", "Two"))
    other = make_judge("other")
    for run, judge, complete in ((whole, whole.judge, True), (cut, other, False)):
        run.judge = judge
        run.save()
        Reasoning.objects.create(
            judge=judge, question_sha256=run.reasoning_sha256, max_new_tokens=512, text="1. R", complete=complete
        )

    pages = [client.get(reverse("run", args=[run.pk])).content.decode() for run in (whole, cut)]

    assert ["1 of them reached its limit of tokens" in page for page in pages] == [False, True]


def test_run_shows_its_progress_and_frozen_specification_and_the_list_unparsed_answers_and_errors(client, researcher):
    run = answer_run(make_run(owner=researcher))

    page = client.get(run.get_absolute_url()).content.decode()

    assert "12 of 12 comparisons" in page
    assert run.spec_hash in page

    answer_run(make_run(make_dataset("Other"), owner=researcher))
    ids = list(run.comparisons.values_list("pk", flat=True))
    run.comparisons.filter(pk=ids[0]).update(outcome="error", p_first=None)
    run.comparisons.filter(pk__in=ids[1:3]).update(outcome="unparsed", p_first=None)

    page = client.get(reverse("run-list")).content.decode()

    assert page.count('<span class="soft small">1 error, 2 unparsed</span>') == 1
    assert page.count("unparsed") == 1


def test_progress_shows_tokens_and_their_largest_cost(client, researcher):
    judge = make_judge("gpt", backend="openai", base_url="http://localhost/v1", price_input=2.5, price_output=10)
    run = answer_run(make_run(judge=judge, owner=researcher))
    run.prompt_tokens, run.computed_tokens = 400_000, 300_000
    run.save()

    page = client.get(reverse("run-progress", args=[run.pk])).content.decode()

    assert "<dd>400,000 in prompts, 300,000 computed</dd>" in page
    assert "<dd>at most 1.00 at the judge’s prices</dd>" in page


@pytest.mark.parametrize(
    ("backend", "state"), [("openai", "Checking the endpoint"), ("transformers", "Loading the model")]
)
def test_progress_says_what_a_run_waits_for(client, researcher, backend, state):
    run = make_run(judge=make_judge("one", backend=backend, base_url="http://localhost/v1"), owner=researcher)
    Run.objects.filter(pk=run.pk).update(status=Run.Status.RUNNING)
    RunEvent.objects.record(run.pk, RunEvent.Kind.LOADING)

    page = client.get(reverse("run-progress", args=[run.pk])).content.decode()

    assert f'<span class="chip" data-status="running">{state}</span>' in page


def test_progress_goes_on_with_speed_and_counts_while_a_run_is_active_and_asks_for_its_headline_at_the_end(
    client, researcher
):
    dataset = make_dataset()
    waiting, done = make_run(dataset, owner=researcher), answer_run(make_run(dataset, owner=researcher))

    waits, ended = (client.get(reverse("run-progress", args=[run.pk])) for run in (waiting, done))

    active, at_rest = waits.content.decode(), ended.content.decode()
    assert f'hx-get="/runs/{waiting.pk}/progress/" hx-trigger="every 2s"' in active
    assert "data-poll-done" in at_rest
    assert [("hx-get" in page, "Per second" in page) for page in (active, at_rest)] == [(True, True), (False, False)]
    assert ("HX-Trigger" in waits.headers, "run-ended" in ended.headers["HX-Trigger"]) == (False, True)
    assert 'id="progress-details" hx-swap-oob="true"' in active
    assert "hx-swap-oob" not in client.get(waiting.get_absolute_url()).content.decode()


def test_progress_gives_the_time_left_while_a_worker_has_the_run(client, researcher):
    run = answer_run(make_run(owner=researcher))
    run.comparisons.filter(pk__in=run.comparisons.values("pk")[:6]).delete()
    run.chunks.update(status="running", lease_until=timezone.now() + timedelta(seconds=30))
    Run.objects.filter(pk=run.pk).update(status="running", seconds=6)

    page = client.get(reverse("run-progress", args=[run.pk])).content.decode()

    assert '6 of 12 comparisons <span class="soft">about 6 s left</span>' in page


def test_failed_run_shows_its_error_as_text(client, researcher):
    run = make_run(owner=researcher)
    Run.objects.filter(pk=run.pk).update(status="failed", error="no model <b>there</b>")

    assert "no model &lt;b&gt;there&lt;/b&gt;" in client.get(run.get_absolute_url()).content.decode()


def test_cancelling_reports_a_run_that_had_ended(client, researcher):
    run = make_run(owner=researcher)

    pages = [client.post(reverse("run-cancel", args=[run.pk]), follow=True).content.decode() for _ in range(2)]

    assert f"Run {run.pk} cancelled." in pages[0]
    assert f"Run {run.pk} had already ended." in pages[1]


def test_cancelled_run_can_be_resumed(client, researcher, handed_over):
    run = make_run(owner=researcher)

    client.post(reverse("run-cancel", args=[run.pk]))
    run.refresh_from_db()
    assert run.status == Run.Status.CANCELLED

    client.post(reverse("run-resume", args=[run.pk]))
    run.refresh_from_db()
    assert (run.status, handed_over) == (Run.Status.PENDING, [run.pk])


def test_errors_of_a_finished_run_can_be_retried(client, researcher, handed_over):
    run = answer_run(make_run(owner=researcher))
    assert "Retry errors" not in client.get(run.get_absolute_url()).content.decode()
    run.comparisons.filter(pk=run.comparisons.first().pk).update(outcome="error", p_first=None, error="too long")
    page = client.get(run.get_absolute_url()).content.decode()
    assert "Retry errors" in page
    assert "<strong>First error:</strong> too long" in page
    assert f'href="{reverse("run-comparisons", args=[run.pk])}?outcome=error">1</a>' in page

    page = client.post(reverse("run-resume", args=[run.pk]), {"errors": "true"}, follow=True).content.decode()

    assert "its errors are asked again" in page
    run.refresh_from_db()
    assert (run.status, run.comparisons.count(), handed_over) == (Run.Status.PENDING, 11, [run.pk])


def test_run_list_shows_runs_that_match_the_filters(client, researcher):
    dataset = make_dataset()
    done, waiting = answer_run(make_run(dataset, owner=researcher)), make_run(dataset, owner=researcher)

    page = client.get(reverse("run-list"), {"status": "done"}).content.decode()

    assert done.get_absolute_url() in page
    assert waiting.get_absolute_url() not in page


def test_run_list_without_match_shows_a_message(client, researcher):
    assert "No matching run." in client.get(reverse("run-list"), {"status": "failed"}).content.decode()


@pytest.mark.parametrize("n", [1, 3])
def test_run_list_needs_the_same_queries_for_any_number_of_runs(client, researcher, django_assert_num_queries, n):
    for number in range(n):
        make_run(make_dataset(f"Dataset {number}"), owner=make_user(f"r{number}", "researcher"))
        Run.objects.update(owner=researcher)

    with django_assert_num_queries(7):
        client.get(reverse("run-list"))


def test_run_of_a_metric_shows_how_it_is_cited(client, researcher):
    run = make_run(judge=make_judge(backend="metric", model="length"), prompt="text-alone", owner=researcher)
    run.environment = {"signature": "length|unit:character"}
    run.save()

    assert "length|unit:character" in client.get(run.get_absolute_url()).content.decode()


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        ("", "Local models are being installed: step 1 of 2."),
        ("the disk is full", "<strong>Local models could not be installed:</strong> the disk is full"),
    ],
)
def test_pages_that_need_local_models_show_their_installation(client, researcher, settings, tmp_path, error, shown):
    settings.DATA_DIR = tmp_path
    run = make_run(owner=researcher)
    addresses = [reverse("run-progress", args=[run.pk]), reverse("run-new", args=[run.dataset.pk])]
    assert not any("installed" in client.get(address).content.decode() for address in addresses)

    write_installation(tmp_path, Installation(1, 2, "Downloading torch", os.getpid(), error))

    assert all(shown in client.get(address).content.decode() for address in addresses)
