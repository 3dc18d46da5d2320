"""Runs at endpoints that change during a run: another model answers, or a parameter is ignored."""

from collections import Counter
from itertools import count
from math import log

import pytest
from django.urls import reverse

from evenhand.engine import load_engine
from judging.services.execution.chunk_execution import execute_chunk
from judging.services.judges.judge_check import check_judge
from judging.services.judges.judge_setup import add_judge
from judging.services.judges.loaded_engine import EngineHolder
from judging.services.runs.progress import progress
from judging.services.runs.run_lifecycle import resume
from tests.commands import printed_json
from tests.evenhand.engine.endpoint.misbehaving_server import ServedEndpoint, reply
from tests.factories import make_dataset, make_run

pytestmark = pytest.mark.django_db

SOFT = [("A", {"A": log(0.8), "B": log(0.2)})]


def usual(model="judge-2026"):
    return reply("A", SOFT, model=model)


@pytest.fixture
def endpoint():
    with ServedEndpoint(lambda body: usual()) as served:
        yield served


@pytest.fixture
def run(endpoint):
    """A run of 12 comparisons at the endpoint, which was probed before."""
    judge = add_judge(name="remote", backend="openai", model="judge", base_url=endpoint.url, check=check_judge)
    return make_run(make_dataset(), judge=judge)


def execute(run):
    holder = EngineHolder(load_engine)
    for chunk in run.chunks.all():
        execute_chunk(chunk.pk, load=holder.load)
    holder.close()
    run.refresh_from_db()


def every_third(changed):
    """Return an endpoint's answers, each third of which is a changed one."""
    number = count()
    return lambda body: changed if next(number) % 3 == 1 else usual()


def with_reasoning():
    document = usual()
    document["choices"][0]["message"]["reasoning_content"] = "Let me compare them."
    return document


@pytest.mark.parametrize(
    ("changed", "problem"),
    [(usual("judge-2027"), "other-model"), (reply("A"), "ignored-parameter"), (with_reasoning(), "ignored-parameter")],
)
def test_answers_of_a_changed_endpoint_are_counted_by_kind_and_asked_again(endpoint, run, changed, problem):
    endpoint.answer = every_third(changed)
    execute(run)
    first = Counter(run.comparisons.values_list("outcome", "problem", "text"))

    endpoint.answer = lambda body: usual()
    execute(resume(run, problems=[problem]))

    assert first == {("answered", "", "A"): 8, ("unparsed", problem, "A"): 4}
    assert set(run.comparisons.values_list("outcome", "problem")) == {("answered", "")}


def test_answers_of_another_model_are_shown_by_page_command_and_api(endpoint, run, capsys, client, researcher):
    endpoint.answer = every_third(usual("judge-2027"))
    execute(run)
    run.owner = researcher
    run.save()
    client.force_login(researcher)

    [listed] = printed_json(capsys, "runs")["runs"]
    page = client.get(reverse("run", args=[run.pk])).content.decode()
    answers = client.get(reverse("run-comparisons", args=[run.pk]), {"problem": "other-model"})
    rows = client.get(f"/api/runs/{run.pk}/comparisons/", {"problem": "other-model"}).json()["results"]

    assert progress(run).problems == listed["problems"] == {"other-model": 4}
    assert "<dt>Answered by another model</dt>" in page
    assert len(answers.context["entries"]) == len(rows) == 4


def test_run_is_not_continued_once_the_name_means_another_model(endpoint, run):
    """The answers of the first model stay."""
    endpoint.answer = every_third(usual("judge-2027"))
    execute(run)
    endpoint.answer = lambda body: usual("judge-2027")

    execute(resume(run, problems=["other-model"]))

    assert run.status == "failed"
    assert "revision is 'judge-2026' in the run and 'judge-2027' here" in run.error
    assert run.comparisons.filter(outcome="answered").count() == 8
