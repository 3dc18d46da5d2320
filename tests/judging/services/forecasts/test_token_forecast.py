"""Prompts, tokens and pilots of a run before it starts."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from evenhand.engine import Answer, EngineSettings, Generation, ScoreAnswer, load_renderer
from evenhand.engine.endpoint.chat_messages import ChatRenderer
from evenhand.engine.settings import DEMO_MODEL
from judging.models import Attribute, Judge, Run
from judging.services.execution.chunk_execution import execute_chunk
from judging.services.execution.criteria import find_criteria_prompt
from judging.services.forecasts import pilot as pilot_module
from judging.services.forecasts import token_forecast
from judging.services.forecasts.dry_run import dry_run
from judging.services.forecasts.pilot import PilotStage, run_pilot, spread_items
from judging.services.forecasts.token_forecast import forecast_run
from judging.services.plans.selection_settings import EVERY_PAIR, SelectionSettings
from judging.services.runs.run_lifecycle import create_or_continue
from judging.services.runs.run_request import RunRequest
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import answer_run, make_dataset, make_judge, make_run, shipped_prompt

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def renderer():
    return load_renderer(EngineSettings("transformers", DEMO_MODEL))


def asked_of(dataset, *, prompt="comparative-1", selection=EVERY_PAIR):
    judge = Judge.objects.filter(name="tiny").first() or make_judge()
    return RunRequest(dataset, Attribute.objects.get(dataset=dataset), judge, shipped_prompt(prompt), selection)


def test_forecast_counts_every_prompt_of_a_small_run(renderer):
    found = forecast_run(asked_of(make_dataset(candidates=(3, 2, 1))), renderer=renderer)

    assert (found.planned, found.reused, found.left, found.contexts, found.candidates) == (8, 0, 8, 2, 5)
    assert (found.tokens.counted, found.tokens.contexts, found.tokens.is_exact) == (8, 2, True)
    assert found.tokens.shared_tokens < found.tokens.prompt_tokens
    assert (found.tokens.limit, found.tokens.too_long) == (4096, 0)
    assert found.example.prompt_text.startswith("Article 0.\n\nSummary A: Summary a of article 0.")
    assert not Run.objects.exists()


def test_forecast_extrapolates_from_contexts_all_over_a_large_dataset(renderer, monkeypatch):
    asked = asked_of(make_dataset(candidates=(3,) * 6))
    exact = forecast_run(asked, renderer=renderer).tokens
    monkeypatch.setattr(token_forecast, "SAMPLED_PROMPTS", 12)

    tokens = forecast_run(asked, renderer=renderer).tokens

    assert (tokens.counted, tokens.contexts, tokens.is_exact) == (12, 2, False)
    assert tokens.prompt_tokens == pytest.approx(exact.prompt_tokens, rel=0.01)
    assert tokens.shared_tokens == pytest.approx(exact.shared_tokens, rel=0.01)


def test_forecast_finds_the_longest_prompt_outside_the_sample(renderer, monkeypatch):
    dataset = make_dataset(candidates=(3,) * 6)
    dataset.contexts.filter(key="c5").update(text="The cat sat. " * 2_000)
    monkeypatch.setattr(token_forecast, "SAMPLED_PROMPTS", 6)

    tokens = forecast_run(asked_of(dataset), renderer=renderer).tokens

    assert tokens.contexts == 1
    assert tokens.longest > tokens.limit == 4096
    assert tokens.too_long == 1


def test_forecast_counts_reused_answers(renderer):
    run = answer_run(make_run(make_dataset(candidates=(3,))))

    found = forecast_run(RunRequest(run.dataset, run.attribute, run.judge, run.prompt, EVERY_PAIR), renderer=renderer)

    assert (found.planned, found.reused, found.left) == (6, 6, 0)


def test_forecast_of_an_adaptive_run_extrapolates_from_the_first_round(renderer):
    selection = SelectionSettings("bt-optimal", comparisons=8)

    found = forecast_run(asked_of(make_dataset(candidates=(4,)), selection=selection), renderer=renderer)

    assert (found.planned, found.tokens.is_exact) == (8, False)
    assert found.tokens.counted < 8


def test_forecast_of_a_scoring_run_counts_each_candidate_alone(renderer):
    found = forecast_run(asked_of(make_dataset(candidates=(3, 1)), prompt="scoring-1"), renderer=renderer)

    assert (found.planned, found.contexts, found.candidates) == (4, 2, 4)
    assert (found.tokens.counted, found.tokens.is_exact) == (4, True)
    assert [len(items) for items in found.items] == [3, 1]
    assert (found.example.answer_prefix, found.example.label_first) == (" Score:", " 1")


@pytest.mark.parametrize(("prompt", "texts"), [("prepair-1", 5), ("cot-1", 8), ("scoring-1", 0)])
def test_forecast_counts_reasonings(renderer, prompt, texts):
    asked = asked_of(make_dataset(candidates=(3, 2, 1)), prompt=prompt)

    assert forecast_run(asked, renderer=renderer).reasonings == texts


def judge(run):
    for chunk in run.chunks.all():
        execute_chunk(chunk.pk, load=lambda settings: FakeEngine())


@pytest.mark.parametrize(("prompt", "left"), [("prepair-1", 3), ("cot-1", 6)])
def test_forecast_counts_only_missing_reasonings(renderer, prompt, left):
    dataset = make_dataset(candidates=(2, 3))
    part = asked_of(dataset, prompt=prompt, selection=SelectionSettings(contexts=1))
    whole = asked_of(dataset, prompt=prompt)
    judge(create_or_continue(part))

    found = [forecast_run(asked, renderer=renderer) for asked in (part, whole)]

    assert [(one.reused, one.left, one.reasonings) for one in found] == [(2, 0, 0), (0, 8, left)]


def test_forecast_counts_only_missing_criteria(renderer):
    dataset = make_dataset(candidates=(2, 3))
    part = replace(
        asked_of(dataset, prompt="pairwise-1", selection=SelectionSettings(contexts=1)),
        criteria=find_criteria_prompt("metrics-1"),
    )
    judge(create_or_continue(part))

    found = forecast_run(replace(part, selection=EVERY_PAIR), renderer=renderer)

    assert (found.left, found.criteria) == (8, 1)


@pytest.mark.parametrize(("prompt", "texts"), [("prepair-star-1", [6, 0]), ("prepair-1", [3, 3])])
def test_dry_run_counts_shared_reasonings_once(prompt, texts):
    dataset = make_dataset(candidates=(3,), attributes=("coherence", "fluency"))
    judge = make_judge(backend="openai", base_url="http://localhost:1/v1")
    asked = [RunRequest(dataset, one, judge, shipped_prompt(prompt), EVERY_PAIR) for one in dataset.attributes.all()]

    rows = dry_run(asked, pilot=0, load=lambda settings: FakeEngine())

    assert [row["reasonings"] for row in rows] == texts


def test_dry_run_counts_shared_criteria_once():
    dataset, judge = make_dataset(candidates=(3, 2)), make_judge(backend="openai", base_url="http://localhost:1/v1")
    prompts = [shipped_prompt(name) for name in ("pairwise-1", "pointwise-1")]
    metrics = find_criteria_prompt("metrics-1")
    asked = [RunRequest(dataset, dataset.attributes.get(), judge, one, EVERY_PAIR, criteria=metrics) for one in prompts]

    rows = dry_run(asked, pilot=0, load=lambda settings: FakeEngine())

    assert [row["criteria"] for row in rows] == [2, 0]


def test_forecast_counts_no_tokens_of_an_endpoint():
    found = forecast_run(asked_of(make_dataset(candidates=(2,))), renderer=ChatRenderer())

    assert (found.planned, found.tokens) == (2, None)
    assert found.example.prompt_text.startswith('[{"role": "user"')


def test_pilot_asks_its_number_of_pairs_and_stores_nothing(renderer):
    asked = asked_of(make_dataset(candidates=(3,) * 4))
    engine = FakeEngine(lambda question: Answer(p_first=0.5, prompt_tokens=7))

    pilot = run_pilot(asked, forecast_run(asked, renderer=renderer).items, engine=engine, number=8)

    assert (pilot.asked.requests, pilot.asked.prompt_tokens, pilot.without_answer) == (8, 56, 0)
    assert pilot.asked.seconds > 0
    assert {article(question) for question in engine.asked} == {"Article 0", "Article 1", "Article 2", "Article 3"}
    assert not Run.objects.exists()


def article(question):
    return question.text.partition(".")[0]


def test_pilot_of_prepair_writes_about_the_candidates_first(renderer):
    asked = asked_of(make_dataset(candidates=(2,)), prompt="prepair-1")
    engine = FakeEngine(generate=lambda request: Generation(text="Fine.", prompt_tokens=20, generated_tokens=3))

    pilot = run_pilot(asked, forecast_run(asked, renderer=renderer).items, engine=engine, number=2)

    assert (pilot.reasonings.requests, pilot.reasonings.prompt_tokens, pilot.reasonings.written_tokens) == (2, 40, 6)
    assert "Fine." in engine.asked[0].text


def test_pilot_of_a_scoring_run_asks_for_scores(renderer):
    asked = asked_of(make_dataset(candidates=(3,)), prompt="scoring-1")
    engine = FakeEngine(score=lambda question: ScoreAnswer(score=4.5, prompt_tokens=9))

    pilot = run_pilot(asked, forecast_run(asked, renderer=renderer).items, engine=engine, number=2)

    assert (pilot.asked.requests, pilot.asked.prompt_tokens, pilot.without_answer) == (2, 18, 0)


def test_pilot_says_why_a_comparison_has_no_answer(renderer):
    asked = asked_of(make_dataset(candidates=(2,)))
    answers = iter([0.5, Answer(unparsed=True, text="neither"), Answer(error="too long")])

    pilot = run_pilot(
        asked, forecast_run(asked, renderer=renderer).items, engine=FakeEngine(lambda question: next(answers)), number=2
    )

    assert (pilot.without_answer, pilot.problem) == (2, "it wrote 'neither'")


class SlowEngine(FakeEngine):
    """Takes ten seconds for an answer and a hundred for a text, by a clock of its own."""

    def __init__(self):
        super().__init__(self.answer, generate=self.write)
        self.now = 0.0

    def answer(self, question):
        self.now += 10
        return 0.5

    def write(self, request):
        self.now += 100
        return Generation(text="Fine.", generated_tokens=1)


@pytest.mark.parametrize(("seconds", "asked"), [(None, 20), (1000, 20), (120, 12), (5, 4)])
def test_pilot_with_a_time_limit_asks_a_slow_judge_less(renderer, monkeypatch, seconds, asked):
    engine = SlowEngine()
    monkeypatch.setattr(pilot_module, "time", SimpleNamespace(monotonic=lambda: engine.now))
    wanted = asked_of(make_dataset(candidates=(3,) * 8))

    pilot = run_pilot(wanted, forecast_run(wanted, renderer=renderer).items, engine=engine, number=20, seconds=seconds)

    assert (pilot.asked.requests, pilot.asked.seconds) == (asked, 10 * asked)
    assert len(set(engine.asked)) == asked


def test_pilot_with_a_time_limit_writes_each_reasoning_once(renderer, monkeypatch):
    engine = SlowEngine()
    monkeypatch.setattr(pilot_module, "time", SimpleNamespace(monotonic=lambda: engine.now))
    wanted = asked_of(make_dataset(candidates=(2,) * 8), prompt="geval-1")

    pilot = run_pilot(wanted, forecast_run(wanted, renderer=renderer).items, engine=engine, number=8, seconds=1000)

    assert (pilot.reasonings.requests, pilot.reasonings.seconds, pilot.asked.requests) == (1, 100, 8)


def test_forecast_of_a_new_run_reuses_no_answers(renderer):
    run = answer_run(make_run(make_dataset(candidates=(3,))))
    asked = RunRequest(run.dataset, run.attribute, run.judge, run.prompt, EVERY_PAIR)

    found = forecast_run(asked, renderer=renderer, is_new=True)

    assert (found.reused, found.left) == (0, 6)


def test_pairs_of_a_pilot_are_spread_over_contexts():
    groups = [[(context, other) for other in range(5)] for context in range(20)]

    assert [first for first, _ in spread_items(groups, 20)] == [
        0,
        0,
        2,
        2,
        4,
        4,
        6,
        6,
        8,
        8,
        10,
        10,
        12,
        12,
        14,
        14,
        16,
        16,
        18,
        18,
    ]
    assert spread_items(groups[:1], 3) == [(0, 0), (0, 1), (0, 2)]


def test_pilot_takes_more_contexts_if_each_has_few_pairs():
    assert len(spread_items([[(context,)] for context in range(100)], 32)) == 32


def test_stage_without_requests_costs_nothing():
    assert PilotStage().per_request(0.0) == 0
