"""Judges and prompts over HTTP."""

import pytest

from judging.models import Judge
from tests.evenhand.engine.endpoint.fake_endpoints import deepseek_r1
from tests.evenhand.engine.endpoint.misbehaving_server import ServedEndpoint
from tests.factories import make_dataset, make_judge

pytestmark = pytest.mark.django_db


def test_judges_are_listed_without_endpoint_and_key(researcher):
    judge = make_judge(backend="openai", base_url="https://example.org/v1", api_key_env="EXAMPLE_KEY")

    shown = researcher.get(f"/api/judges/{judge.pk}/").json()

    assert shown["name"] == "tiny"
    assert not {"base_url", "api_key_env"} & set(shown)
    assert [row["name"] for row in researcher.get("/api/judges/").json()["results"]] == ["demo", "tiny"]


def test_researcher_renames_and_retires_a_judge(researcher):
    judge = make_judge("flan", owner=researcher.user)

    answer = researcher.patch(f"/api/judges/{judge.pk}/", {"name": "flan-t5", "retired": True})

    judge.refresh_from_db()
    assert (answer.status_code, answer.json()["name"], answer.json()["retired"]) == (200, "flan-t5", True)
    assert (judge.name, judge.is_retired) == ("flan-t5", True)


def test_a_refused_change_changes_nothing(researcher):
    judge = make_judge("flan", owner=researcher.user)

    answer = researcher.patch(f"/api/judges/{judge.pk}/", {"retired": True, "name": "demo"})

    judge.refresh_from_db()
    assert (answer.status_code, judge.is_retired) == (400, False)


@pytest.fixture
def endpoint(settings):
    settings.ENDPOINT_HOSTS = ["127.0.0.1"]
    with ServedEndpoint(deepseek_r1) as served:
        yield served


def test_endpoint_is_asked_about_one_pair(researcher, endpoint):
    make_dataset("Summaries")
    judge = make_judge("r1", backend="openai", base_url=endpoint.url)
    body = {"dataset": "Summaries", "attribute": "coherence", "thinking": "on", "thinking_tokens": 300}

    answer = researcher.post(f"/api/judges/{judge.pk}/try/", body).json()

    orders = [(one["first"], one["second"], one["thinking_tokens"], one["problem"]) for one in answer["orders"]]
    assert orders == [("a", "b", 40, ""), ("b", "a", 40, "")]
    assert answer["environment"]["revision"] == "deepseek-r1"
    assert (answer["prompt"], answer["context"]) == ("comparative-1", "c0")


def test_trial_with_reasoning_shows_it(researcher, endpoint):
    make_dataset("Summaries")
    judge = make_judge("r1", backend="openai", base_url=endpoint.url)
    body = {"dataset": "Summaries", "attribute": "coherence", "prompt": "prepair-1"}

    answer = researcher.post(f"/api/judges/{judge.pk}/try/", body | {"thinking": "on"}).json()

    about = [[written["about"] for written in order["reasoning"]] for order in answer["orders"]]
    assert about == [["a", "b"], ["b", "a"]]


@pytest.mark.parametrize(
    ("name", "hosts", "problem"),
    [("demo", ["127.0.0.1"], 'judge: "demo" is no endpoint'), ("r1", [], 'base_url: "127.0.0.1" is not among')],
)
def test_trial_of_another_judge_or_host_is_refused(researcher, endpoint, settings, name, hosts, problem):
    make_dataset("Summaries")
    make_judge("r1", backend="openai", base_url=endpoint.url)
    settings.ENDPOINT_HOSTS = hosts

    judge = Judge.objects.get(name=name)
    answer = researcher.post(f"/api/judges/{judge.pk}/try/", {"dataset": "Summaries", "attribute": "coherence"})

    assert (answer.status_code, endpoint.asked) == (400, [])
    assert answer.json()["problems"][0].startswith(problem)
    assert answer.json()["detail"] == "1 problem; nothing was asked"
