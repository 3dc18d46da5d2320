"""Forecasts on the page that starts runs."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from evenhand.engine import Answer
from judging import tasks
from judging.models import ForecastRequest, Judge, Prompt, Run
from judging.services.forecasts.forecast_requests import execute_forecast
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import make_dataset, make_judge, make_run, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def sent(monkeypatch):
    """The forecasts that pages gave to the workers."""
    requests: list[ForecastRequest] = []
    monkeypatch.setattr(tasks, "start_forecast", requests.append)
    return requests


@pytest.fixture
def dataset():
    """Runs of an endpoint, whose tokenizer is not loaded."""
    make_judge("remote", backend="openai", base_url="http://localhost:1/v1")
    return make_dataset(candidates=(3, 2), attributes=("coherence", "fluency"))


def press(client, dataset, button, **changes):
    chosen = {
        "attributes": [dataset.attributes.first().pk],
        "judges": [Judge.objects.get(name="remote").pk],
        "prompts": [Prompt.objects.get(name="comparative-1").pk],
        "selection": "full",
        "seed": "0",
    }
    return client.post(reverse("run-new", args=[dataset.pk]), chosen | changes | {button: ""})


def seven_tokens(question):
    return Answer(p_first=0.5, prompt_tokens=7)


def made(request, engine=None):
    execute_forecast(request.pk, load=lambda settings: engine or FakeEngine(seven_tokens))


def progress_of(client, request):
    return client.get(reverse("forecast", args=[[request.pk]]))


def test_new_run_offers_a_forecast_and_starts_none(client, researcher, dataset, sent):
    page = press(client, dataset, "show").content.decode()

    assert "Estimate tokens and time" in page
    assert "asks up to 32 questions of the run" in page
    assert "The endpoint charges for these questions." in page
    assert sent == []


def test_page_offers_to_try_a_metric(client, researcher, dataset):
    metric = make_judge("length", backend="metric", model="length")
    chosen = [Prompt.objects.get(name="text-alone").pk]

    page = press(client, dataset, "show", judges=[metric.pk], prompts=chosen).content.decode()

    assert "A worker measures up to 32 texts" in page


def test_forecast_is_queued_and_polled(client, researcher, dataset, sent):
    page = press(client, dataset, "count").content.decode()

    [request] = sent
    assert (request.requested_by, request.runs, request.pilot) == (researcher, 1, 32)
    assert f'hx-get="/forecasts/{request.pk}/" hx-trigger="every 2s"' in page
    assert "Waiting for a worker." in page
    assert '<noscript><button class="button quiet" name="show">Refresh</button></noscript>' in page
    assert not Run.objects.exists()


def test_new_run_shows_an_earlier_forecast(client, researcher, dataset, sent):
    press(client, dataset, "count")
    made(sent[0])

    page = press(client, dataset, "show").content.decode()

    assert "data-poll-done" in page
    assert "<dt>Pilot</dt><dd>8 questions with 56 tokens in all, answered in" in page
    assert "the judge has no prices" in page
    assert "[{&quot;role&quot;: &quot;user&quot;" in page
    assert len(sent) == 1


def test_forecast_of_other_settings_is_not_shown(client, researcher, dataset, sent):
    press(client, dataset, "count")
    made(sent[0])

    page = press(client, dataset, "show", contexts="1")

    assert page.context["forecast"] is None


def test_forecast_shows_each_run(client, researcher, dataset, sent):
    both = [attribute.pk for attribute in dataset.attributes.all()]
    press(client, dataset, "count", attributes=both)
    made(sent[0])

    page = progress_of(client, sent[0]).content.decode()

    assert "<summary>comparative-1, coherence</summary>" in page
    assert "<summary>comparative-1, fluency</summary>" in page
    assert "<dd>16 questions with 112 tokens in all" in page


def test_forecast_shows_its_progress(client, researcher, dataset, sent):
    press(client, dataset, "count")
    ForecastRequest.objects.update(state="running", started_at=timezone.now(), counted=1)

    page = progress_of(client, sent[0]).content.decode()

    assert "Tokens counted: 1 of 1 run" in page
    assert "Timed: 0 of 1 run" in page
    assert "data-poll-done" not in page


def test_forecast_shows_counts_before_prompts(client, researcher, dataset, sent):
    press(client, dataset, "count")
    made(sent[0])
    ForecastRequest.objects.update(state="running")

    page = progress_of(client, sent[0]).content.decode()

    assert "<dt>Tokens</dt>" in page
    assert "<summary>" not in page


def test_forecast_warns_that_no_worker_runs(client, researcher, dataset, sent):
    press(client, dataset, "count")
    assert "No worker has taken it up" not in progress_of(client, sent[0]).content.decode()

    ForecastRequest.objects.update(requested_at=timezone.now() - timedelta(seconds=11))

    assert "No worker has started it. Is one running?" in progress_of(client, sent[0]).content.decode()


def test_forecast_shows_that_all_workers_are_busy(client, researcher, dataset, sent):
    press(client, dataset, "count")
    ForecastRequest.objects.update(requested_at=timezone.now() - timedelta(seconds=11))
    run = make_run(dataset)
    Run.objects.filter(pk=run.pk).update(queued_at=timezone.now())
    run.chunks.update(status="running", lease_until=timezone.now() + timedelta(seconds=30))

    page = progress_of(client, sent[0]).content.decode()

    assert "Queued: all workers are busy." in page
    assert "No worker has taken it up" not in page


def test_failed_forecast_shows_its_reason_and_its_counts(client, researcher, dataset, sent, monkeypatch):
    monkeypatch.setenv("REMOTE_API_KEY", "")
    Judge.objects.filter(name="remote").update(api_key_env="REMOTE_API_KEY")
    press(client, dataset, "count")
    made(sent[0])

    page = progress_of(client, sent[0]).content.decode()

    assert "needs the key in REMOTE_API_KEY; set that variable where it runs" in page
    assert "<dt>Time</dt><dd>the pilot is not finished</dd>" in page
    assert "Estimate again" in page


def test_questions_without_an_answer_are_warned_of_before_the_start(client, researcher, dataset, sent):
    press(client, dataset, "count")
    made(sent[0], FakeEngine(lambda question: Answer(unparsed=True, text="Neither")))

    page = press(client, dataset, "show").content.decode()

    warning = "8 of the pilot&#x27;s 8 questions have no answer: it wrote &#x27;Neither&#x27;"
    assert page.index(warning) < page.index("Start the run")


def test_forecasts_of_others_do_not_exist_even_for_an_admin(client, researcher, dataset, sent):
    press(client, dataset, "count")

    for name, role in (("rob", "researcher"), ("ada", "admin"), ("ann", "annotator")):
        client.force_login(make_user(name, role))
        assert progress_of(client, sent[0]).status_code == 404
    client.logout()
    assert progress_of(client, sent[0]).status_code == 302


def test_forecast_of_a_run_that_cannot_be_is_refused(client, researcher, dataset, sent):
    page = press(client, dataset, "count", comparisons="3").content.decode()

    assert "selection full asks every ordered pair" in page
    assert sent == []
