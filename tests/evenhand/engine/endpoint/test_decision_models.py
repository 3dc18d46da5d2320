"""Decision models: `transformers serve`, which is a real one, and a fake in the manner of vLLM and OpenAI."""

from math import log, nan

import pytest
from transformers import AutoModelForCausalLM, AutoTokenizer
from transformers.pipelines import DecisionPipeline

from evenhand.engine import EngineError, EngineSettings, LoadFailed, Question, load_engine
from evenhand.engine.questions.reply_questions import DecisionQuestion
from tests.evenhand.engine.endpoint.decision_servers import CHOICES, decisions, share, system_one
from tests.evenhand.engine.endpoint.misbehaving_server import ServedEndpoint
from tests.evenhand.engine.endpoint.served_demo import serving
from tests.evenhand.engine.tiny_models import CHAT_TEMPLATE, save_model

TEXTS = ("The boat was painted.", "The old captain painted.", "A pier.")
ASKED = "Which Summary is more coherent?"


def question(first, second):
    state = f"The captain painted the boat.\n\nSummary A: {first}"
    return DecisionQuestion(f"{state}\n\nSummary B: {second}\n\n{ASKED}", "", *CHOICES, state=state)


EVERY_PAIR = [question(first, second) for first in TEXTS for second in TEXTS if first != second]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return save_model(tmp_path_factory.mktemp("model"), "llama", chat_template=CHAT_TEMPLATE, window=2048)


def test_answers_of_transformers_serve_are_those_of_its_pipeline(folder):
    with serving(folder) as address:
        engine = load_engine(EngineSettings("openai", str(folder), base_url=address, decides=True))
        answers, description = engine.p_first(EVERY_PAIR).answers, engine.describe()
        engine.close()

    assert (description.asked_by, description.architecture) == ("systemone", "decisions")
    assert [answer.p_first for answer in answers] == pytest.approx(
        [by_pipeline(folder, one) for one in EVERY_PAIR], abs=1e-4
    )
    assert [(answer.logprob_first, answer.prompt_tokens > 0) for answer in answers] == [(None, True)] * 6


def by_pipeline(folder, asked):
    model, tokenizer = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    typed = {"type": "choice", "instructions": asked.instructions, "criteria": dict.fromkeys(CHOICES)}
    decided = DecisionPipeline(model=model, tokenizer=tokenizer)({"state": asked.state, "questions": {"q0": typed}})
    return decided["q0"]["probabilities"]["Summary A"]


@pytest.fixture
def endpoint():
    with ServedEndpoint() as served:
        yield served


@pytest.fixture
def load(endpoint):
    engines = []

    def load_decider():
        engines.append(load_engine(EngineSettings("openai", "judge", base_url=endpoint.url, decides=True)))
        return engines[-1]

    yield load_decider
    for engine in engines:
        engine.close()


def test_questions_about_one_state_are_one_request(load, endpoint):
    endpoint.paths = {"/v1/systemone": system_one}
    engine = load()
    endpoint.forget()

    answers = engine.p_first(EVERY_PAIR).answers

    assert sorted(len(body["questions"]) for body in endpoint.asked) == [2, 2, 2]
    assert {body["state"] for body in endpoint.asked} == {one.state for one in EVERY_PAIR}
    assert [answer.p_first for answer in answers] == pytest.approx([share(one.instructions) for one in EVERY_PAIR])


def test_raw_values_are_the_label_mass_times_the_probability(load, endpoint):
    endpoint.paths = {"/v1/systemone": system_one}

    (answer,) = load().p_first(EVERY_PAIR[:1]).answers

    p = share(EVERY_PAIR[0].instructions)
    assert (answer.logprob_first, answer.logprob_second) == pytest.approx((log(0.5 * p), log(0.5 * (1 - p))))
    assert answer.prompt_tokens == 100


def test_more_questions_than_a_server_takes_are_asked_in_halves(load, endpoint):
    endpoint.paths = {"/v1/decisions": decisions}
    state = EVERY_PAIR[0].state
    many = [DecisionQuestion(f"{state}\n\nSummary B: {'x' * n}", "", *CHOICES, state=state) for n in range(5)]
    engine = load()

    answers = engine.p_first(many).answers

    assert engine.describe().asked_by == "decisions"
    assert [answer.p_first for answer in answers] == pytest.approx([share(one.instructions) for one in many])
    assert sorted(len(body["questions"]) for body in endpoint.asked[-5:]) == [1, 2, 2, 3, 5]


def test_endpoint_without_decisions_is_said(load, endpoint):
    with pytest.raises(LoadFailed, match=r"answers no typed questions \(/v1/systemone: .*404.*/v1/decisions: .*404"):
        load()


def test_question_in_words_is_refused(load, endpoint):
    endpoint.paths = {"/v1/systemone": system_one}

    with pytest.raises(EngineError, match="choose the method decision"):
        load().p_first([Question("Which?", "", "A", "B")])


@pytest.mark.parametrize(
    ("probabilities", "error"),
    [
        ({"Summary A": nan, "Summary B": 0.5}, "gives nan and 0.5 as the probabilities"),
        ({"Summary A": 0.5}, "gives 0.5 and nan as the probabilities"),
        ({"Summary A": 0.9, "Summary B": 0.9}, "gives 0.9 and 0.9 as the probabilities"),
        ({"Summary A": -0.1, "Summary B": 1.1}, "gives -0.1 and 1.1 as the probabilities"),
        (None, "gives nan and nan as the probabilities"),
    ],
)
def test_numbers_that_are_no_probabilities_are_an_error_of_their_question(load, endpoint, probabilities, error):
    endpoint.paths = {"/v1/systemone": system_one}
    engine = load()
    endpoint.paths["/v1/systemone"] = lambda body: (
        system_one(body) | {"answers": {"q0": {"probabilities": probabilities}}}
    )

    (answer,) = engine.p_first(EVERY_PAIR[:1]).answers

    assert error in answer.error


def test_refusal_is_unparsed_and_missing_answers_are_errors(load, endpoint):
    endpoint.paths = {"/v1/decisions": decisions}
    engine = load()

    endpoint.paths["/v1/decisions"] = lambda body: decisions(body) | {"answers": [{"type": "refusal", "name": None}]}
    (refused,) = engine.p_first(EVERY_PAIR[:1]).answers
    missing = engine.p_first(EVERY_PAIR[:2]).answers

    assert (refused.unparsed, refused.text) == (True, "refusal")
    assert [one.error for one in missing] == ["the endpoint did not answer all of 2 questions"] * 2


def test_answers_of_another_model_fail_the_run(load, endpoint):
    endpoint.paths = {"/v1/systemone": system_one}
    engine = load()
    endpoint.paths["/v1/systemone"] = lambda body: system_one(body) | {"model": "other"}

    with pytest.raises(EngineError, match='now answers with the model "other"'):
        engine.p_first(EVERY_PAIR)
