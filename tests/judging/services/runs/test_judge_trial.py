"""A judge is asked about one pair in both orders."""

import json

import pytest

from evenhand.engine import Thinking
from evenhand.refusals import Refused
from evenhand.report_json import as_json
from judging.models import Comparison, Judge, Run
from judging.services.judges.judge_setup import add_judge
from judging.services.runs.judge_trial import try_judge
from tests.evenhand.engine.endpoint.fake_endpoints import deepseek_r1, vllm
from tests.evenhand.engine.endpoint.misbehaving_server import ServedEndpoint, reply
from tests.factories import make_dataset, shipped_prompt

pytestmark = pytest.mark.django_db


@pytest.fixture
def endpoint():
    with ServedEndpoint() as served:
        yield served


@pytest.fixture
def judge(endpoint):
    return add_judge(name="remote", backend="openai", model="judge", base_url=endpoint.url)


def ask(judge, dataset=None, *, prompt="comparative-1", **choice):
    attribute = (dataset or make_dataset(candidates=(2, 3))).attributes.first()
    return try_judge(judge, attribute=attribute, prompt=shipped_prompt(prompt), **choice)


def test_trial_asks_both_orders_and_stores_no_answer(judge, endpoint):
    endpoint.answer = lambda body: reply("A" if "Summary A: Summary a " in body["messages"][-1]["content"] else "B")

    trial = ask(judge)

    assert [(one.first, one.second, one.decision, one.answer.p_first) for one in trial.orders] == [
        ("a", "b", "first", 1.0),
        ("b", "a", "second", 0.0),
    ]
    assert trial.agreement == "Both orders agree."
    assert (trial.context, trial.environment["dialect"]) == ("c0", "openai-compatible")
    assert trial.orders[0].prompt == endpoint_messages(endpoint, 1)
    assert not Run.objects.exists()
    assert not Comparison.objects.exists()


def endpoint_messages(endpoint, number):
    bodies = {json.dumps(body["messages"], ensure_ascii=False) for body in endpoint.asked[number:]}
    return next(text for text in bodies if "Summary A: Summary a " in text)


def test_trial_says_that_the_judge_prefers_a_place(judge):
    assert ask(judge).agreement == "The two orders disagree: the judge chose the first candidate both times."


def test_trial_of_a_judge_that_thinks_shows_its_reasoning(judge, endpoint):
    endpoint.answer = deepseek_r1

    trial = ask(judge, thinking=Thinking(tokens=300))

    assert [one.answer.thinking_tokens for one in trial.orders] == [40, 40]
    judge.refresh_from_db()
    assert set(judge.probes) == {"on"}


def reasoned(body):
    """Reasoning that names its candidate; otherwise the verdict A."""
    text = body["messages"][-1]["content"]
    return reply(f"On {len(text)} characters." if text.endswith("# Analysis:") else "A")


def test_trial_writes_each_reasoning_once_before_the_answers(judge, endpoint):
    endpoint.answer = reasoned

    trial = ask(judge, prompt="prepair-1")

    one, other = trial.orders
    assert [written.about for written in one.reasoning] == ["a", "b"]
    assert one.reasoning == other.reasoning[::-1]
    assert all(written.text in one.prompt for written in one.reasoning)
    texts = [body["messages"][-1]["content"] for body in endpoint.asked]
    assert sum(text.endswith("# Analysis:") for text in texts) == 2
    assert [order["reasoning"][0]["about"] for order in as_json(trial)["orders"]] == ["a", "b"]


def test_trial_of_a_judge_that_writes_no_reasoning_is_refused_with_the_reason(judge, endpoint):
    endpoint.answer = lambda body: reply("" if body["messages"][-1]["content"].endswith("# Analysis:") else "A")

    with pytest.raises(Refused, match='judge: the judge failed to write its reasoning about candidate "a": '):
        ask(judge, prompt="prepair-1")


def test_trial_sends_a_parameter_again_that_was_refused_before(judge, endpoint):
    judge.probes = {"off": {"refused": {"top_logprobs=20": "no", "top_logprobs=5": "no"}}}
    judge.save()

    ask(judge)

    assert endpoint.asked[0]["top_logprobs"] == 20


def test_trial_names_the_kind_of_an_unreadable_answer(judge, endpoint):
    endpoint.answer = vllm
    judge.ask_by = "logprobs"

    trial = ask(judge)

    assert [one.problem_name for one in trial.orders] == ["no verdict", "no verdict"]


def test_trial_asks_about_the_context_of_a_key(judge):
    assert ask(judge, context="c1").context == "c1"


@pytest.mark.parametrize(
    ("choice", "problem"),
    [
        ({"context": "c7"}, 'context: "c7" is no context of Summaries with two candidates'),
        ({"prompt": "scoring-1"}, 'prompt: "scoring-1" does not ask about a pair'),
    ],
)
def test_impossible_trial_is_refused(judge, choice, problem):
    with pytest.raises(Refused) as refused:
        ask(judge, **choice)

    assert refused.value.problems[0].startswith(problem)


def test_trial_of_an_endpoint_that_cannot_be_used_is_refused_with_its_reason(judge, endpoint):
    endpoint.answer = lambda body: reply("")

    with pytest.raises(Refused, match="judge: the model wrote no answer within 8 tokens"):
        ask(judge)


def test_demo_judge_is_tried_here():
    trial = ask(Judge.objects.get(name="demo"))

    assert all(0 < one.answer.p_first < 1 for one in trial.orders)
