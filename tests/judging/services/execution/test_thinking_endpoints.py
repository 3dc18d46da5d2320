"""Runs at endpoints that think, refuse parameters, or force a choice: LLMBar's Natural set, from end to end."""

import pytest

from evenhand.engine import Thinking, load_engine
from evenhand.formats import SourceFile, read_dataset
from judging.models import Run
from judging.services.datasets.dataset_import import import_dataset
from judging.services.execution.chunk_execution import execute_chunk
from judging.services.judges.judge_check import check_judge
from judging.services.judges.judge_setup import add_judge
from judging.services.judges.loaded_engine import EngineHolder
from judging.services.plans.generation_settings import GenerationSettings
from judging.services.runs.run_lifecycle import resume
from tests.evenhand.engine.endpoint.fake_endpoints import VLLM_MODELS, deepseek_r1, message_of, openai_reasoning, vllm
from tests.evenhand.engine.endpoint.misbehaving_server import ServedEndpoint, reply
from tests.factories import make_dataset, make_run

pytestmark = pytest.mark.django_db
THINKS = GenerationSettings(thinking=Thinking(tokens=300))


@pytest.fixture
def endpoint():
    with ServedEndpoint() as served:
        yield served


@pytest.fixture
def natural(shared_data):
    path = shared_data / "data" / "llmbar" / "Natural.json"
    return import_dataset(read_dataset([SourceFile(path.name, path.read_bytes())]), name="LLMBar", sha256="0" * 64)


def judge_at(endpoint, **settings):
    return add_judge(
        name="remote", backend="openai", model="judge", base_url=endpoint.url, check=check_judge, **settings
    )


def execute(run):
    holder = EngineHolder(load_engine)
    for chunk in run.chunks.all():
        execute_chunk(chunk.pk, load=holder.load)
    holder.close()
    run.refresh_from_db()


def verdicts(run):
    """Return each comparison's p_first, and whether its first candidate is the longer one."""
    rows = run.comparisons.values_list("p_first", "first__text", "second__text")
    return {(round(p_first, 6), len(first) >= len(second)) for p_first, first, second in rows}


@pytest.mark.realdata
def test_endpoint_like_deepseek_r1_judges_llmbar(endpoint, natural):
    endpoint.answer = deepseek_r1
    run = make_run(natural, judge=judge_at(endpoint), prompt="pairwise-1", generation=THINKS)

    execute(run)

    assert (run.status, run.comparisons.count(), verdicts(run)) == ("done", 200, {(1.0, True), (0.0, False)})
    assert set(run.comparisons.values_list("thinking", "thinking_tokens", "problem")) == {
        (f"The longer one says more. That is {label}.", 40, "") for label in "AB"
    }
    assert not run.environment["gives_probabilities"]


@pytest.mark.realdata
def test_endpoint_like_openais_reasoning_models_judges_llmbar(endpoint, natural):
    endpoint.answer = openai_reasoning
    judge = judge_at(endpoint)
    endpoint.forget()
    run = make_run(natural, judge=judge, prompt="pairwise-1", generation=THINKS)

    execute(run)

    assert (run.status, run.comparisons.count(), verdicts(run)) == ("done", 200, {(1.0, True), (0.0, False)})
    assert len(endpoint.asked) == 201  # the probe had stored what the endpoint refuses
    assert "temperature" in run.environment["refused"]
    assert set(run.comparisons.values_list("thinking", "thinking_tokens")) == {("", 64)}


@pytest.mark.realdata
def test_endpoint_like_vllm_with_a_guided_choice_judges_llmbar(endpoint, natural):
    endpoint.answer, endpoint.models = vllm, VLLM_MODELS
    run = make_run(natural, judge=judge_at(endpoint, ask_by="forced-choice"), prompt="pairwise-1", generation=THINKS)

    execute(run)

    assert (run.status, run.comparisons.count(), verdicts(run)) == ("done", 200, {(0.8, True), (0.2, False)})
    assert (run.environment["dialect"], run.environment["gives_probabilities"]) == ("vllm", True)
    assert run.environment["forced_choice"] == '{"structured_outputs": {"choice": "LABELS"}}'


def test_probe_is_stored_with_the_judge(endpoint):
    endpoint.answer = openai_reasoning

    judge = judge_at(endpoint)

    judge.refresh_from_db()
    assert set(judge.probes) == {"on"}
    assert "Only the default (1) is supported" in judge.probes["on"]["refused"]["temperature"]
    assert judge.probes["on"]["model"] == "o9-2026-01-01"


def test_run_without_thinking_fails_where_the_model_always_thinks(endpoint):
    endpoint.answer = deepseek_r1
    run = make_run(make_dataset(candidates=(2,)), judge=judge_at(endpoint))

    execute(run)

    assert (run.status, run.comparisons.count()) == ("failed", 0)
    assert "let it think (thinking on)" in run.error


def test_shares_of_several_replies_stand_for_probabilities(endpoint):
    def answer(body):
        verdict = "A" if body.get("seed", 0) % 2 else "B"
        return message_of(verdict, model="r1", reasoning_content="Hm.", reasoning_tokens=3)

    endpoint.answer = answer
    generation = GenerationSettings(samples=5, temperature=1.0, thinking=Thinking(tokens=300))
    run = make_run(make_dataset(candidates=(2,)), judge=judge_at(endpoint), generation=generation)

    execute(run)

    seeds = [body["seed"] % 2 for body in endpoint.asked if body.get("seed")]
    shares = [sum(seeds[n : n + 5]) / 5 for n in (0, 5)]
    stored = run.comparisons.values_list("p_first", "thinking_tokens", "text")
    assert len(seeds) == 10
    assert sum(p for p, _, _ in stored) == pytest.approx(sum(shares))
    assert {tokens for _, tokens, _ in stored} == {15}
    assert all('"thinking": "Hm."' in text for _, _, text in stored)


def test_unreadable_answers_are_counted_by_kind_and_asked_again(endpoint):
    judge = judge_at(endpoint)
    run = make_run(make_dataset(candidates=(2,)), judge=judge)
    endpoint.answer = lambda body: reply("A" if "cat sat" in body["messages"][-1]["content"] else "Neither")
    execute(run)
    problems = set(run.comparisons.values_list("problem", flat=True))

    endpoint.answer = lambda body: reply("A")
    execute(resume(run, unparsed=True))

    assert problems == {"no-verdict"}
    assert Run.objects.get(pk=run.pk).comparisons.filter(outcome="answered").count() == 2
