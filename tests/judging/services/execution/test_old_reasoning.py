"""Reasoning and thinking go some days after their runs; answers, figures and counts stay."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from evenhand.engine import load_engine
from judging.models import Criteria, Reasoning, Run
from judging.services.execution.chunk_execution import execute_chunk
from judging.services.exports.exported_answers import answer_rows
from judging.services.judges.judge_setup import add_judge
from judging.services.judges.loaded_engine import EngineHolder
from judging.services.plans.generation_settings import GenerationSettings
from judging.services.runs.progress import progress
from judging.services.runs.run_lifecycle import resume
from judging.services.trimming import remove_old_reasoning, trim
from tests.evenhand.engine.endpoint.misbehaving_server import ServedEndpoint, reply
from tests.factories import make_dataset, make_run, make_user

pytestmark = pytest.mark.django_db
NOTE = "[removed after 30 days]"
REASON = "Both are clear, and the first is shorter."
SAID = f"{REASON}\nTherefore, Summary A is more coherent."


@pytest.fixture
def judge():
    def answer(body):
        return reply(SAID if body["max_tokens"] > 8 else "A")

    with ServedEndpoint(answer) as served:
        yield add_judge(name="remote", backend="openai", model="judge", base_url=served.url)


def execute(run):
    holder = EngineHolder(load_engine)
    for chunk in run.chunks.all():
        execute_chunk(chunk.pk, load=holder.load)
    holder.close()
    run.refresh_from_db()
    return run


def age(run, days):
    Run.objects.filter(pk=run.pk).update(finished_at=timezone.now() - timedelta(days=days))


def figures_of(run):
    """Return all that figures rest on, and the counts of the run's page."""
    run = Run.objects.get(pk=run.pk)
    kept = ("first", "second", "outcome", "p_first", "choice", "problem", "thinking_tokens")
    shown = progress(run)
    return list(run.comparisons.order_by("pk").values_list(*kept)), shown.asked, shown.errors, shown.unparsed


def test_reasoning_goes_after_its_days_is_counted_and_moves_no_figure(client, judge):
    run = execute(make_run(make_dataset(candidates=(3,)), judge=judge, prompt="prepair-1"))
    before = figures_of(run)
    age(run, 31)

    remove_old_reasoning(0)
    untouched = set(Reasoning.objects.values_list("text", flat=True))
    remove_old_reasoning(32)
    remove_old_reasoning(30)

    assert untouched == {SAID}
    assert set(Reasoning.objects.values_list("text", flat=True)) == {NOTE}
    assert figures_of(run) == before
    client.force_login(make_user("ada", "admin"))
    page, api = client.get(f"/runs/{run.pk}/"), client.get(f"/api/runs/{run.pk}/").json()
    assert "3 texts of reasoning and thinking removed after 30 days. Answers and figures stay." in page.content.decode()
    assert (api["texts_removed"], api["texts_removed_after"]) == (3, 30)
    assert NOTE in client.get(f"/runs/{run.pk}/comparisons/").content.decode()


def test_text_stays_while_a_younger_run_uses_it_and_is_written_again_for_a_later_one(judge):
    dataset = make_dataset(candidates=(3,))
    old, young = (execute(make_run(dataset, judge=judge, prompt="prepair-1")) for _ in range(2))
    age(old, 31)

    remove_old_reasoning(30)
    kept = set(Reasoning.objects.values_list("text", flat=True))
    age(young, 31)
    remove_old_reasoning(30)
    later = execute(make_run(dataset, judge=judge, prompt="prepair-1"))

    assert kept == set(Reasoning.objects.values_list("text", flat=True)) == {SAID}
    assert (later.status, set(later.comparisons.values_list("outcome", flat=True))) == ("done", {"answered"})
    assert set(Run.objects.exclude(pk=later.pk).values_list("texts_removed", flat=True)) == {3}


def test_criteria_are_written_again_for_a_later_run(judge):
    dataset = make_dataset(candidates=(3,))
    for _ in range(2):
        run = execute(make_run(dataset, judge=judge, criteria="metrics-1"))
        age(run, 31)
        assert (run.status, Criteria.objects.get().text) == ("done", SAID)
        remove_old_reasoning(30)
        assert Criteria.objects.get().text == NOTE


@pytest.mark.parametrize("samples", [None, 3])
def test_reasoning_in_replies_goes_and_its_verdicts_stay(judge, samples):
    generation = GenerationSettings(samples=samples, temperature=0.7 if samples else 0.0)
    run = execute(make_run(make_dataset(candidates=(2,)), judge=judge, prompt="cot-reply-1", generation=generation))
    before, rows = figures_of(run), list(answer_rows(run))
    age(run, 31)

    remove_old_reasoning(30)

    assert (figures_of(run), Run.objects.get(pk=run.pk).texts_removed) == (before, 2)
    changed = [
        {name for name in row if row[name] != old[name]} for row, old in zip(answer_rows(run), rows, strict=True)
    ]
    assert changed == [{"text"} if samples else set()] * 2
    stored = json.dumps([[row["text"], row["thinking"]] for row in run.comparisons.values()])
    assert (REASON in stored, NOTE in stored) == (False, True)


def test_answers_that_are_asked_again_lose_their_texts_again(judge):
    run = execute(make_run(make_dataset(candidates=(2,)), judge=judge, prompt="prepair-1"))
    age(run, 31)
    trim(activity_kept=timedelta(days=1), reasoning_days=30)

    run.comparisons.update(outcome="error", p_first=None, choice="", error="gone")
    execute(resume(run, errors=True))
    written = set(Reasoning.objects.values_list("text", flat=True))
    age(run, 31)
    remove_old_reasoning(30)

    assert (run.status, written) == ("done", {SAID})
    assert set(Reasoning.objects.values_list("text", flat=True)) == {NOTE}
