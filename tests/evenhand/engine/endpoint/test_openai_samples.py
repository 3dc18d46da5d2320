"""Sampled answers of judges behind an endpoint."""

from math import log

import pytest

from evenhand.engine import EngineSettings, Question, load_engine
from evenhand.engine.replies.sampled_answers import Sampling, read_samples, sample_answers
from tests.evenhand.engine.endpoint.misbehaving_server import ServedEndpoint, reply, says

QUESTION = Question("Which Summary is more coherent, Summary A or Summary B?", "Summary", " A", " B", "Be fair.")


@pytest.fixture
def endpoint():
    with ServedEndpoint(lambda body: reply("A", [("A", {"A": log(0.6), "B": log(0.2)})])) as served:
        yield served


def load(endpoint):
    return load_engine(EngineSettings("openai", "judge", base_url=endpoint.url))


def test_sampled_answers_send_the_label_words_and_one_seed_each(endpoint):
    endpoint.answer = lambda body: reply("B" if body.get("seed", 0) % 2 else "A")
    engine = load(endpoint)
    endpoint.forget()

    (answer,) = sample_answers(engine, [QUESTION], Sampling(6, temperature=0.7)).answers

    engine.close()
    seeds = [body["seed"] for body in endpoint.asked]
    assert len(set(seeds)) == 6
    assert answer.p_first == sum(seed % 2 == 0 for seed in seeds) / 6
    assert {body["temperature"] for body in endpoint.asked} == {0.7}
    assert {body["messages"][-1]["content"].partition("Answer only")[2] for body in endpoint.asked} == {
        " with A or B, and nothing else."
    }
    assert not any("logprobs" in body for body in endpoint.asked)


def test_refusal_of_an_endpoint_is_an_unparsed_sample(endpoint):
    engine = load(endpoint)
    refusal = reply(None)
    refusal["choices"][0]["message"]["refusal"] = "I will not say."
    endpoint.first_do(says(refusal))

    (answer,) = sample_answers(engine, [QUESTION], Sampling(2, temperature=1.0)).answers

    engine.close()
    assert sorted((one.text, one.read) for one in read_samples(answer.text)) == [
        ("A", "first"),
        ("I will not say.", None),
    ]
    assert answer.p_first == 1.0
