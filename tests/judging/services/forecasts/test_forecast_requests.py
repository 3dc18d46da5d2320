"""Forecasts by workers: requested once, made once, without storing answers."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from evenhand.engine import LoadFailed
from evenhand.engine.settings import DEMO_MODEL
from evenhand.refusals import Refused
from judging.models import Comparison, ForecastRequest, Reasoning, Run
from judging.services.execution.claimed_chunk import RunStopped
from judging.services.execution.criteria import find_criteria_prompt
from judging.services.forecasts import forecast_requests as service
from judging.services.forecasts.forecast_requests import (
    execute_forecast,
    find_forecast,
    request_forecast,
    waiting_forecasts,
)
from judging.services.plans.generation_settings import GenerationSettings
from judging.services.plans.selection_settings import EVERY_PAIR, SelectionSettings
from judging.services.runs.run_request import RunRequest
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import answer_run, make_dataset, make_judge, make_run, make_user, shipped_prompt

pytestmark = pytest.mark.django_db


@pytest.fixture
def user():
    return make_user("rita", "researcher")


@pytest.fixture
def asked():
    """Request runs of an endpoint, so that no tokenizer is loaded."""
    dataset = make_dataset(candidates=(3, 2), attributes=("coherence", "fluency"))
    judge = make_judge("remote", backend="openai", base_url="http://localhost:1/v1")
    prompt = shipped_prompt("prepair-1")
    return [RunRequest(dataset, attribute, judge, prompt, EVERY_PAIR) for attribute in dataset.attributes.all()]


def make(request, engine=None, **options):
    execute_forecast(request.pk, load=lambda settings: engine or FakeEngine(), **options)
    request.refresh_from_db()
    return request


def long_ago(request, **since):
    ForecastRequest.objects.filter(pk=request.pk).update(**{name: timezone.now() - ago for name, ago in since.items()})
    request.refresh_from_db()
    return request


def test_forecast_has_a_row_for_each_run_and_stores_nothing_else(user, asked):
    request = make(request_forecast(asked, user=user, pilot=3))

    assert (request.state, request.counted, request.tried, request.runs) == ("done", 2, 2, 2)
    assert [(row["attribute"], row["comparisons"]) for row in request.rows] == [("coherence", 8), ("fluency", 8)]
    assert [row["pilot"]["asked"]["requests"] for row in request.rows] == [3, 3]
    assert [model.objects.count() for model in (Run, Comparison, Reasoning)] == [0, 0, 0]


def test_forecast_is_of_new_runs(user, asked):
    run = answer_run(make_run(asked[0].dataset, judge=asked[0].judge))

    (row,) = make(request_forecast([replace(asked[0], prompt=run.prompt)], user=user, pilot=0)).rows

    assert (row["comparisons"], row["reused"]) == (8, 0)


def test_pilot_of_a_forecast_asks_like_the_run(user, asked):
    sampled = replace(
        asked[0],
        prompt=shipped_prompt("pairwise-1"),
        selection=SelectionSettings("random", comparisons=1, seed=2**62),
        generation=GenerationSettings(2, 0.7),
        criteria=find_criteria_prompt("metrics-1"),
    )

    request = request_forecast([sampled], user=user)

    assert service._run_requests(request) == [sampled]


def test_forecast_of_changed_runs_fails(user, asked):
    request = request_forecast(asked, user=user)
    asked[1].attribute.definition = "How well it flows."
    asked[1].attribute.save()

    assert make(request).error == "the runs have changed since the forecast was requested; request it again"


def test_same_forecast_is_requested_once_until_it_is_done(user, asked):
    first = request_forecast(asked, user=user)
    again = request_forecast(asked, user=user)
    make(first)

    renewed = request_forecast(asked, user=user)

    assert (again.pk, renewed.pk == first.pk) == (first.pk, False)
    assert list(ForecastRequest.objects.all()) == [renewed]


def test_forecast_is_found_by_user_and_runs(user, asked):
    request = request_forecast(asked, user=user)

    assert find_forecast(asked, user=user) == request
    assert find_forecast(asked[:1], user=user) is None
    assert find_forecast(asked, user=user, pilot=0) is None
    assert find_forecast(asked, user=make_user("rob", "researcher")) is None


def test_latest_forecasts_of_each_user_are_kept(user, asked, monkeypatch):
    monkeypatch.setattr(service, "FORECASTS_PER_USER", 2)
    other = request_forecast(asked, user=make_user("rob", "researcher"))

    own = [request_forecast(asked, user=user, pilot=pilot) for pilot in (1, 2, 3)]

    assert list(ForecastRequest.objects.all()) == [own[2], own[1], other]


def test_forecast_of_an_impossible_run_is_refused(user, asked):
    impossible = [replace(one, selection=SelectionSettings(comparisons=3)) for one in asked]

    with pytest.raises(Refused) as refused:
        request_forecast(impossible, user=user)

    assert len(refused.value.problems) == 1
    assert not ForecastRequest.objects.exists()


def test_forecast_is_made_once(user, asked):
    request = make(request_forecast(asked, user=user))

    execute_forecast(request.pk, load=pytest.fail)


def test_forecast_keeps_its_counts_if_the_judge_cannot_be_loaded(user, asked):
    def load(settings):
        raise LoadFailed("there is no folder /models/gone")

    request = request_forecast(asked, user=user)
    execute_forecast(request.pk, load=load)

    request.refresh_from_db()
    assert (request.state, request.problem, request.is_over) == ("failed", "there is no folder /models/gone", True)
    assert [row["comparisons"] for row in request.rows] == [8, 8]
    assert (request.counted, request.tried) == (2, 0)


def test_forecast_of_a_broken_judge_has_the_error(user, asked):
    def breaks(question):
        raise ValueError("no\x00 good")

    assert make(request_forecast(asked, user=user), FakeEngine(breaks)).error == "it broke: ValueError: no\ufffd good"


def test_forecast_is_released_by_a_worker_that_shuts_down(user, asked):
    def end():
        raise RunStopped("this worker is shutting down")

    request = make(request_forecast(asked, user=user), on_step=end)

    assert (request.state, request.counted, request.rows) == ("pending", 0, [])
    assert make(request).state == "done"


def test_deleted_forecast_is_not_continued(user, asked):
    request = request_forecast(asked, user=user)

    execute_forecast(request.pk, load=pytest.fail, on_step=ForecastRequest.objects.all().delete)

    assert not ForecastRequest.objects.exists()


def test_forecast_ends_after_ten_minutes_with_its_counts(user, asked, monkeypatch):
    monkeypatch.setattr(service, "LONGEST_WORK", timedelta(0))

    request = make(request_forecast(asked, user=user))

    assert request.error.startswith("it took longer than ten minutes: 1 of 2 runs counted and 0 tried; the command")
    assert (request.state, [row["attribute"] for row in request.rows]) == ("failed", ["coherence"])


def test_time_limit_also_ends_a_forecast_within_a_run(user, asked, monkeypatch):
    monkeypatch.setattr(service, "LONGEST_WORK", timedelta(0))
    here = replace(asked[0], judge=make_judge(model=DEMO_MODEL))

    request = make(request_forecast([here], user=user, pilot=0))

    assert request.error.startswith("it took longer than ten minutes: 1 of 1 run counted, the last of them in part; ")
    (tokens,) = (row["tokens"] for row in request.rows)
    assert (tokens["counted"], tokens["contexts"], tokens["is_partial"]) == (1, 1, True)
    assert tokens["prompt_tokens"] > tokens["longest"]


def test_time_limit_keeps_the_finished_pilots(user, asked, monkeypatch):
    began, calls = timezone.now(), []
    engine = FakeEngine(lambda question: calls.append(question) or 0.5)
    monkeypatch.setattr(timezone, "now", lambda: began + timedelta(minutes=11 if len(calls) > 4 else 0))

    request = make(request_forecast(asked, user=user, pilot=3), engine)

    assert request.error.startswith("it took longer than ten minutes: 2 of 2 runs counted and 1 tried; ")
    assert [row["pilot"] and row["pilot"]["asked"]["requests"] for row in request.rows] == [3, None]
    assert request.rows[1]["seconds"]["undefined"] == "the pilot is not finished"


def test_forecast_of_a_killed_worker_is_over_after_ten_minutes(user, asked):
    request = request_forecast(asked, user=user)
    ForecastRequest.objects.claim(request.pk)

    in_hand = long_ago(request, started_at=timedelta(minutes=9))
    assert (in_hand.is_over, request_forecast(asked, user=user)) == (False, request)

    left = long_ago(request, started_at=timedelta(minutes=11))
    assert left.problem.startswith("it took longer than ten minutes, or its worker was killed")
    assert request_forecast(asked, user=user) != request


def test_forecast_is_stale_after_seconds_and_over_after_an_hour(user, asked):
    request = request_forecast(asked, user=user)

    assert (request.is_stale, waiting_forecasts()) == (False, [])
    waiting = long_ago(request, requested_at=timedelta(seconds=11))
    assert (waiting.is_stale, waiting.is_over, waiting_forecasts()) == (True, False, [request])
    given_up = long_ago(request, requested_at=timedelta(hours=2))
    assert (given_up.problem, waiting_forecasts()) == ("no worker started it within an hour", [])
    assert make(request).state == "pending"
