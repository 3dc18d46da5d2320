"""Forecasts of runs over HTTP."""

import pytest

from evenhand.engine import Answer
from judging import tasks
from judging.models import ForecastRequest, Run
from judging.services.forecasts.forecast_requests import execute_forecast
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import make_dataset, make_judge

pytestmark = pytest.mark.django_db

ASKED = {"dataset": "Summaries", "attribute": "coherence", "judge": "remote"}


@pytest.fixture(autouse=True)
def sent(monkeypatch):
    """The forecasts that were given to the workers."""
    requests: list[ForecastRequest] = []
    monkeypatch.setattr(tasks, "start_forecast", requests.append)
    return requests


@pytest.fixture(autouse=True)
def _study():
    make_dataset(candidates=(3, 2), attributes=("coherence", "fluency"))
    make_judge("remote", backend="openai", base_url="http://localhost:1/v1")


def ask(client, **changes):
    return client.post("/api/forecasts/", ASKED | changes, format="json")


def test_forecast_is_queued_and_read_when_done(researcher, sent):
    asked = ask(researcher, pilot=4)
    execute_forecast(
        sent[0].pk, load=lambda settings: FakeEngine(lambda question: Answer(unparsed=True, text="Neither"))
    )

    found = researcher.get(f"/api/forecasts/{asked.json()['id']}/").json()

    assert (asked.status_code, asked.json()["state"], asked.json()["runs"]) == (201, "pending", [])
    assert (found["state"], found["counted"], found["tried"], found["error"]) == ("done", 1, 1, "")
    assert [(row["comparisons"], row["pilot"]["asked"]["requests"]) for row in found["runs"]] == [(8, 4)]
    assert found["warnings"] == ["4 of the pilot's 4 questions have no answer: it wrote 'Neither'"]
    assert not Run.objects.exists()


def test_forecast_of_several_runs_is_one(researcher, sent):
    one = {name: value for name, value in ASKED.items() if name != "attribute"}
    answer = researcher.post(
        "/api/forecasts/",
        one | {"attributes": ["coherence", "fluency"], "prompts": ["comparative-1", "scoring-1"]},
        format="json",
    )

    assert (answer.status_code, sent[0].runs, sent[0].pilot) == (201, 4, 32)


def test_forecast_that_waited_too_long_has_failed(researcher, sent):
    forecast = ask(researcher).json()["id"]
    ForecastRequest.objects.update(requested_at="2020-01-01T00:00:00Z")

    found = researcher.get(f"/api/forecasts/{forecast}/").json()

    assert (found["state"], found["error"]) == ("failed", "no worker started it within an hour")


def test_forecasts_of_others_do_not_exist_even_for_an_admin(researcher, other_researcher, admin, annotator):
    address = f"/api/forecasts/{ask(researcher).json()['id']}/"

    assert researcher.get(address).status_code == 200
    assert [other.get(address).status_code for other in (other_researcher, admin, annotator)] == [404, 404, 404]
    assert ask(annotator).status_code == 403


def test_forecast_of_a_run_that_cannot_be_is_refused_with_every_reason(researcher):
    unknown = ask(researcher, dataset="Gone", judge="nobody")
    impossible = ask(researcher, comparisons=3)

    assert unknown.json()["problems"][-1] == 'judge: there is no "nobody"'
    assert impossible.status_code == 400
    assert not ForecastRequest.objects.exists()
