"""Pages and API of runs whose judge thinks."""

import pytest
from django.urls import reverse
from rest_framework.test import APIClient

from evenhand.engine import Answer, Thinking
from judging.services.execution.chunk_execution import execute_chunk
from judging.services.plans.generation_settings import GenerationSettings
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import make_dataset, make_judge, make_run

pytestmark = pytest.mark.django_db

THINKS = GenerationSettings(thinking=Thinking(tokens=300))
ON = {"thinking": "on", "thinking_tokens": "300", "reasoning_effort": "low", "cut_thinking": "unparsed"}
SURE = Answer(p_first=0.9, p_first_before=0.4, thinking="The first is clearer.", thinking_tokens=5)
SILENT = Answer(unparsed=True, text="Who knows?", problem="no-verdict")


def text_of(page):
    return " ".join(page.content.decode().split())


@pytest.fixture
def run(researcher):
    """A run with one answer and one unparsed text, and another run without thinking."""
    dataset = make_dataset(candidates=(2,))
    judged = make_run(dataset, generation=THINKS, owner=researcher)
    answers = iter([SURE, SILENT])
    other = make_run(dataset, judge=make_judge("other"), owner=researcher)
    for one, engine in ((judged, FakeEngine(lambda question: next(answers))), (other, FakeEngine())):
        for chunk in one.chunks.all():
            execute_chunk(chunk.pk, load=lambda settings, engine=engine: engine)
    judged.refresh_from_db()
    return judged


def test_new_run_like_another_begins_with_its_thinking(client, researcher, run):
    form = client.get(reverse("run-new", args=[run.dataset_id]), {"like": run.pk}).context["form"]

    assert (form["thinking"].value(), form["thinking_tokens"].value()) == ("on", 300)


def test_answers_show_the_thinking_apart(client, run):
    page = text_of(client.get(reverse("run-comparisons", args=[run.pk])))

    assert "<summary>Thinking of 5 tokens</summary>" in page
    assert '<div class="passage">The first is clearer.</div>' in page
    assert "without thinking 0.4000" in page
    assert '<span class="chip" data-status="unparsed">no verdict</span>' in page


def test_answers_are_filtered_by_their_problem(client, run):
    page = client.get(reverse("run-comparisons", args=[run.pk]), {"problem": "no-verdict"})

    assert [entry.answer.problem for entry in page.context["entries"]] == ["no-verdict"]


def test_run_page_counts_problems_and_asks_unparsed_answers_again(client, run, handed_over):
    page = text_of(client.get(run.get_absolute_url()))
    client.post(reverse("run-resume", args=[run.pk]), {"unparsed": "true"})

    assert "<dt>No verdict</dt>" in page
    assert "at most 300 tokens before each answer" in page
    assert "Ask unparsed again" in page
    assert [row.problem for row in run.comparisons.all()] == [""]


def test_results_page_says_how_far_thinking_moved_the_answers(client, run):
    page = text_of(client.get(reverse("run-results", args=[run.pk])))

    assert "Moved by thinking" in page
    assert "Flipped by thinking" in page
    assert ", thinking." in page


def test_api_shows_thinking_and_asks_problems_again(run, researcher, handed_over):
    api = APIClient()
    api.force_authenticate(researcher)

    shown = api.get(f"/api/runs/{run.pk}/").json()
    rows = api.get(f"/api/runs/{run.pk}/comparisons/", {"problem": "no-verdict"}).json()["results"]
    api.post(f"/api/runs/{run.pk}/resume/", {"problems": ["no-verdict"]}, format="json")

    assert shown["thinking"] == {"tokens": 300, "effort": "", "reads_cut": True}
    assert shown["progress"]["problems"] == {"no-verdict": 1}
    assert [(row["problem"], row["text"]) for row in rows] == [("no-verdict", "Who knows?")]
    assert run.comparisons.count() == 1
