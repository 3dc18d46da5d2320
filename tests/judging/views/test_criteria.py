"""Self-generated criteria by page, command and over HTTP."""

import pytest
from django.urls import reverse

from judging.models import Prompt, Run
from judging.services.execution.chunk_execution import execute_chunk
from tests.commands import printed_json, refused
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import make_dataset, make_judge, make_run
from tests.judging.views.new_runs import choices, prompts_named, start

pytestmark = pytest.mark.django_db


def text_of(page):
    return " ".join(page.content.decode().split())


def test_new_run_previews_and_stores_its_criteria_prompt(client, researcher, handed_over):
    dataset = make_dataset()
    chosen = {"prompts": prompts_named("pairwise-1"), "metrics": "metrics-1"}

    page = client.post(reverse("run-new", args=[dataset.pk]), choices(dataset, **chosen))
    start(client, dataset, **chosen)

    assert "Criteria, once for each context" in text_of(page)
    assert "Please propose at most three concise questions about whether a potential summary is coherent" in text_of(
        page
    )
    assert "[the judge’s criteria for this context]" in text_of(page)
    assert Run.objects.get().criteria_name == "metrics-1"


@pytest.mark.parametrize("prompt", ["pairwise-1", "pointwise-1"])
def test_answers_are_shown_with_the_criteria_of_their_context(client, researcher, prompt):
    run = make_run(make_dataset(candidates=(2,)), prompt=prompt, criteria="metrics-1")
    for chunk in run.chunks.all():
        execute_chunk(chunk.pk, load=lambda settings: FakeEngine(generate=lambda request: "Is it <short>?"))

    answers = text_of(client.get(reverse("run-comparisons", args=[run.pk])))
    page = text_of(client.get(run.get_absolute_url()))

    assert answers.count("Is it &lt;short&gt;?") == 2
    assert "metrics-1, once for each context" in page


def test_judge_takes_a_criteria_prompt_by_name_or_by_default(capsys):
    make_dataset(candidates=(2,))
    make_judge(backend="openai", base_url="http://127.0.0.1:9/v1")
    judge = ("judge", "--dataset", "Summaries", "--judge", "tiny", "--method", "pairwise", "--dry-run")

    rows = [printed_json(capsys, *judge, *more)["runs"][0] for more in ([], ["--metrics"], ["--metrics", "metrics-1"])]

    assert [row["criteria"] for row in rows] == [0, 1, 1]
    assert refused(capsys, *judge, "--metrics", "mine") == [
        'metrics: there is no prompt "mine" for metrics; there are: metrics-1'
    ]


OURS = {
    "name": "ours",
    "method": "metrics",
    "reasoning_template": "What would {candidate_noun}s of <context> need?",
    "template": "Needed:\n<metrics>",
}


def test_researcher_tries_and_adds_a_criteria_prompt_and_finds_it_on_the_form(client, researcher):
    dataset = make_dataset()
    typed = OURS | {"version": 1, "attribute": dataset.attributes.get().pk}

    shown = text_of(client.post(reverse("prompt-new"), typed | {"show": ""}))
    client.post(reverse("prompt-new"), typed | {"store": ""})
    form = text_of(client.get(reverse("run-new", args=[dataset.pk])))

    assert "What would summarys of Article 0. need?" in shown
    assert "a question of comparative-1 that shows the criteria" in shown
    assert "Needed: [the judge’s criteria for this context]" in shown
    assert '<option value="ours">ours</option>' in form


def test_criteria_prompt_with_a_candidate_is_refused_at_its_field(client, researcher):
    page = client.post(
        reverse("prompt-new"), OURS | {"version": 1, "reasoning_template": "<context>: <A>?", "store": ""}
    )

    [problem] = page.context["form"].errors["reasoning_template"]
    assert problem.startswith("line 1, column 12: <A> is unknown here")
    assert not Prompt.objects.filter(name="ours").exists()


def test_page_of_a_criteria_prompt_shows_its_runs(client, researcher):
    run = make_run(prompt="pairwise-1", criteria="metrics-1", owner=researcher)
    prompt = Prompt.objects.get(name="metrics-1")

    page = client.get(prompt.get_absolute_url())
    rows = client.get(reverse("prompt-list")).context["rows"]

    assert page.context["runs"] == [run]
    assert [count for row, count in rows if row == prompt] == [1]


def test_criteria_prompt_is_added_and_used_over_http(client, researcher, handed_over):
    make_dataset()
    make_judge()
    asked = {"dataset": "Summaries", "attribute": "coherence", "judge": "tiny"}

    added = client.post("/api/prompts/", OURS, "application/json")
    created = client.post("/api/runs/", asked | {"metrics": "ours"}, "application/json")
    unknown = client.post("/api/runs/", asked | {"metrics": "theirs", "judge": "none"}, "application/json")

    assert (added.status_code, added.json()["method"]) == (201, "metrics")
    assert (created.status_code, created.json()["metrics"]) == (201, "ours")
    assert unknown.json()["problems"] == [
        'judge: there is no "none"',
        'metrics: there is no prompt "theirs" for metrics; there are: metrics-1, ours',
    ]
