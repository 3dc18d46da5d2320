"""The probe of an endpoint: refused and ignored parameters, thinking, forced choices."""

from math import log

import pytest

from evenhand.engine import AlwaysThinks, EngineSettings, LoadFailed, Question, Request, Thinking, load_engine
from evenhand.engine.questions.scale_questions import ScaleQuestion
from tests.evenhand.engine.endpoint.fake_endpoints import (
    LLAMA_MODELS,
    VLLM_MODELS,
    deepseek_r1,
    llama_cpp,
    message_of,
    openai_reasoning,
    vllm,
)
from tests.evenhand.engine.endpoint.misbehaving_server import ServedEndpoint, reply, status

THINKING = Thinking(tokens=200)
QUESTION = Question("Which is better?\n\nOutput A: no\n\nOutput B: yes indeed\n\nWell?", "", "A", "B")
THOUGHTFUL = Question(QUESTION.text, "", "A", "B", thinking=THINKING)


@pytest.fixture
def endpoint():
    with ServedEndpoint() as served:
        yield served


def load(endpoint, **settings):
    return load_engine(EngineSettings("openai", "judge", base_url=endpoint.url, **settings))


def test_refused_parameters_are_found_noted_and_not_sent_again(endpoint):
    endpoint.answer = openai_reasoning

    engine = load(endpoint, thinking=THINKING)
    tried = len(endpoint.asked)
    (answer,) = engine.p_first([THOUGHTFUL]).answers
    description = engine.describe()
    engine.close()

    assert (answer.p_first, answer.thinking, answer.thinking_tokens, answer.problem) == (0.0, "", 64, "")
    assert set(description.refused) == {"max_tokens", "temperature", "top_logprobs=20", "top_logprobs=5"}
    assert "Only the default (1) is supported" in description.refused["temperature"]
    assert (description.gives_probabilities, tried) == (False, 5)
    assert set(endpoint.asked[-1]) == {"model", "messages", "max_completion_tokens"}
    assert endpoint.asked[-1]["max_completion_tokens"] == 208


def test_parameters_that_were_refused_before_are_never_sent(endpoint):
    endpoint.answer = openai_reasoning
    before = load(endpoint, thinking=THINKING)
    refused = tuple(before.describe().refused.items())
    before.close()
    endpoint.forget()

    engine = load(endpoint, thinking=THINKING, refused=refused)

    assert (len(endpoint.asked), dict(refused)) == (1, dict(engine.describe().refused))
    engine.close()


def test_effort_that_the_endpoint_refuses_is_not_left_out(endpoint):
    endpoint.answer = openai_reasoning

    with pytest.raises(LoadFailed, match='does not take the reasoning effort "extreme"'):
        load(endpoint, thinking=Thinking(tokens=200, effort="extreme"))


def test_effort_is_sent_with_every_question(endpoint):
    endpoint.answer = openai_reasoning
    thinking = Thinking(tokens=200, effort="high")

    engine = load(endpoint, thinking=thinking)
    engine.p_first([Question(QUESTION.text, "", "A", "B", thinking=thinking)])
    engine.close()

    assert endpoint.asked[-1]["reasoning_effort"] == "high"


@pytest.mark.parametrize("answer", [deepseek_r1, openai_reasoning])
def test_model_that_always_thinks_is_refused_without_thinking(endpoint, answer):
    endpoint.answer = answer

    with pytest.raises(AlwaysThinks, match=r"let it think \(thinking on\)"):
        load(endpoint)


def test_model_that_thinks_is_switched_off_where_a_known_parameter_does_so(endpoint):
    def answer(body):
        off = body.get("chat_template_kwargs", {}).get("enable_thinking") is False
        return reply("A") if off else message_of("", model="judge-2026", finish="length", reasoning_content="Well")

    endpoint.answer = answer

    engine = load(endpoint)
    (read,) = engine.p_first([QUESTION]).answers
    description = engine.describe()
    engine.close()

    assert (read.p_first, read.thinking) == (1.0, "")
    assert description.without_thinking == '{"chat_template_kwargs": {"enable_thinking": false, "thinking": false}}'


def test_reasoning_is_kept_apart_from_the_verdict(endpoint):
    endpoint.answer = deepseek_r1

    engine = load(endpoint, thinking=THINKING)
    (answer,) = engine.p_first([THOUGHTFUL]).answers
    engine.close()

    assert (answer.p_first, answer.text.strip(), answer.thinking_tokens) == (0.0, "B", 40)
    assert answer.thinking == "The longer one says more. That is B."


def test_probabilities_are_those_after_the_reasoning(endpoint):
    endpoint.answer, endpoint.models = vllm, VLLM_MODELS

    engine = load(endpoint, thinking=THINKING, ask_by="forced-choice")
    (answer,) = engine.p_first([THOUGHTFUL]).answers
    description = engine.describe()
    engine.close()

    assert answer.p_first == pytest.approx(0.2)
    assert (answer.thinking, answer.thinking_tokens) == ("A is", 2)
    assert (description.dialect, description.top_logprobs) == ("vllm", 20)


def test_forced_choice_allows_label_words_only(endpoint):
    endpoint.answer, endpoint.models = vllm, VLLM_MODELS

    engine = load(endpoint, ask_by="forced-choice")
    (answer,) = engine.p_first([QUESTION]).answers
    engine.scores([ScaleQuestion("How good?", "Score:", " 1", " 3")])
    engine.close()

    assert answer.p_first == pytest.approx(0.2)
    assert [body["structured_outputs"]["choice"] for body in endpoint.asked[-2:]] == [["A", "B"], ["1", "2", "3"]]


def listing(text, **shares):
    return reply(text, [(text, {label: log(share) for label, share in shares.items()})])


def test_choice_is_forced_by_itself_where_a_free_reply_answers_nothing(endpoint):
    endpoint.answer, endpoint.models = llama_cpp, LLAMA_MODELS

    engine = load(endpoint)
    (answer,) = engine.p_first([QUESTION]).answers
    description = engine.describe()
    engine.close()

    assert answer.p_first == pytest.approx(0.3)
    assert (description.asked_by, description.forced_choice) == ("forced-choice", '{"grammar": "LABELS_GRAMMAR"}')


def test_choice_is_forced_by_itself_where_the_second_label_word_is_not_listed(endpoint):
    endpoint.answer = lambda body: listing("A", A=0.6, B=0.4) if "grammar" in body else listing("A", A=0.6, The=0.1)

    engine = load(endpoint, dialect="llama-cpp")

    assert engine.describe().asked_by == "forced-choice"
    engine.close()


@pytest.mark.parametrize(
    "forced", [status(400, "grammar is unknown", parameter="grammar"), reply("Both"), listing("A", A=0.6, The=0.1)]
)
def test_free_reply_stays_where_a_forced_choice_tells_no_more(endpoint, forced):
    endpoint.answer = lambda body: forced if "grammar" in body else listing("A", A=0.6, The=0.1)

    engine = load(endpoint, dialect="llama-cpp")

    assert (engine.describe().asked_by, engine.describe().forced_choice) == ("logprobs", "")
    engine.close()


def test_free_reply_that_can_be_read_is_never_forced(endpoint):
    endpoint.answer = lambda body: listing("A", A=0.6, B=0.4)

    engine = load(endpoint, dialect="llama-cpp")

    assert (engine.describe().asked_by, len(endpoint.asked)) == ("logprobs", 1)
    engine.close()


def test_endpoint_without_probabilities_is_asked_by_text_and_noted(endpoint):
    engine = load(endpoint)

    assert engine.describe().asked_by == "text"
    assert engine.describe().refused["top_logprobs=20"] == "asked for log-probabilities, and gave none"
    engine.close()


@pytest.mark.parametrize(("way", "fields"), [("logprobs", {"logprobs", "top_logprobs"}), ("text", set())])
def test_person_chooses_how_the_endpoint_is_asked(endpoint, way, fields):
    endpoint.answer, endpoint.models = llama_cpp, LLAMA_MODELS

    engine = load(endpoint, ask_by=way)
    engine.p_first([QUESTION])
    asked_by = engine.describe().asked_by
    engine.close()

    assert (asked_by, set(endpoint.asked[-1]) & {"logprobs", "top_logprobs", "grammar"}) == (way, fields)


def test_endpoint_without_probabilities_is_refused_where_they_are_asked_for(endpoint):
    with pytest.raises(LoadFailed, match=r"no log-probabilities \(asked for log-probabilities, and gave none\)"):
        load(endpoint, ask_by="logprobs")


def test_endpoint_is_asked_as_the_last_probe_found(endpoint):
    endpoint.answer, endpoint.models = llama_cpp, LLAMA_MODELS

    forced, free = load(endpoint, asked_before="forced-choice"), load(endpoint, asked_before="logprobs")

    assert (forced.describe().asked_by, free.describe().asked_by) == ("forced-choice", "logprobs")
    assert ["grammar" in body for body in endpoint.asked] == [True, False]
    forced.close()
    free.close()


def test_forced_choice_that_the_endpoint_lost_is_not_needed(endpoint):
    refused = status(400, "no", parameter="grammar")
    endpoint.answer = lambda body: refused if "grammar" in body else listing("A", A=0.6, B=0.4)

    engine = load(endpoint, dialect="llama-cpp", asked_before="forced-choice")

    assert engine.describe().asked_by == "logprobs"
    engine.close()


def test_second_form_of_a_forced_choice_is_tried_where_the_first_is_ignored(endpoint):
    endpoint.answer = lambda body: reply("A" if "guided_choice" in body else "C")

    engine = load(endpoint, ask_by="forced-choice")

    description = engine.describe()
    engine.close()
    assert description.forced_choice == '{"guided_choice": "LABELS"}'
    assert description.refused["structured_outputs"] == "asked for one of the label words, and wrote another text: 'C'"


def test_endpoint_without_forced_choice_is_refused_where_one_is_asked_for(endpoint):
    endpoint.answer = lambda body: reply("C")

    with pytest.raises(LoadFailed, match=r"no forced choice \(structured_outputs: .*: 'C'; guided_choice: .*\)"):
        load(endpoint, ask_by="forced-choice")


def test_endpoint_that_refuses_every_forced_choice_is_not_asked_without_one(endpoint):
    fields = {"structured_outputs", "guided_choice", "grammar", "response_format"}
    endpoint.answer = lambda body: (
        status(500, f"1 validation error: {name}") if (name := next(iter(fields & set(body)), "")) else reply("A")
    )

    with pytest.raises(LoadFailed, match="no forced choice"):
        load(endpoint, ask_by="forced-choice")

    assert len(endpoint.asked) == 4


def test_dialect_without_a_forced_choice_says_so(endpoint):
    with pytest.raises(LoadFailed, match="its dialect knows none"):
        load(endpoint, ask_by="forced-choice", dialect="deepseek")


def test_answer_that_escapes_a_forced_choice_has_its_own_kind(endpoint):
    engine = load(endpoint, ask_by="forced-choice", dialect="vllm")
    endpoint.answer = lambda body: reply("Neither")

    (answer,) = engine.p_first([QUESTION]).answers

    engine.close()
    assert (answer.unparsed, answer.problem) == (True, "ignored-parameter")


def test_endpoint_that_names_no_parameter_is_asked_in_plainer_forms(endpoint):
    endpoint.answer = lambda body: status(400, "bad request") if "logprobs" in body else reply("A")

    engine = load(endpoint)

    assert set(engine.describe().refused) == {"top_logprobs=20", "top_logprobs=5"}
    engine.close()


def test_refused_seed_is_left_out_and_not_sent_again(endpoint):
    def answer(body):
        return status(422, "Extra inputs are not permitted", parameter="seed") if "seed" in body else reply("A")

    endpoint.answer = answer
    engine = load(endpoint)
    endpoint.forget()

    first = engine.generate([Request("x", temperature=0.7, seed=3)])
    second = engine.generate([Request("x", temperature=0.7, seed=4)])

    assert [one.text for one in (*first, *second)] == ["A", "A"]
    assert ["seed" in body for body in endpoint.asked] == [True, False, False]
    assert "seed" in engine.describe().refused
    engine.close()


def test_temperature_that_the_endpoint_refuses_is_not_replaced_by_its_own(endpoint):
    endpoint.answer = openai_reasoning
    engine = load(endpoint, thinking=THINKING)

    own, other = engine.generate(
        [Request(QUESTION.text, temperature=temperature, thinking=THINKING) for temperature in (1.0, 0.7)]
    )

    engine.close()
    assert (own.text, own.error) == ("B", "")
    assert "the endpoint has only its own temperature, which counts as 1; the run asks for 0.7" in other.error


THOUGHT = {"model": "deepseek-r1", "reasoning_content": "Hm.\nB", "reasoning_tokens": 4}


@pytest.mark.parametrize(
    ("document", "problem", "p_first"),
    [
        (message_of("B", **THOUGHT | {"reasoning_content": "", "reasoning_tokens": 0}), "empty-reasoning", 0.0),
        (message_of("B", **THOUGHT | {"reasoning_tokens": 200}), "cut-reasoning", 0.0),
        (message_of("", finish="length", **THOUGHT), "cut-reasoning", None),
        (message_of("", **THOUGHT), "verdict-in-reasoning", None),
        (message_of("", **THOUGHT | {"reasoning_content": "Hm."}), "no-verdict", None),
        (message_of("A\nB", **THOUGHT), "two-verdicts", None),
        (message_of("I'm sorry, but I will not compare these.", **THOUGHT), "refusal", None),
        (message_of("Both are fine.", **THOUGHT), "no-verdict", None),
        (message_of("<think>\nWell", finish="length", model="deepseek-r1"), "cut-reasoning", None),
    ],
)
def test_reply_after_thinking_has_the_kind_of_its_problem(endpoint, document, problem, p_first):
    endpoint.answer = deepseek_r1
    engine = load(endpoint, thinking=THINKING)
    endpoint.answer = lambda body: document

    (answer,) = engine.p_first([THOUGHTFUL]).answers

    engine.close()
    assert (answer.problem, answer.p_first, answer.unparsed) == (problem, p_first, p_first is None)


@pytest.mark.parametrize("tokens", [0, 200])
def test_answer_after_cut_or_empty_thinking_is_unparsed_on_request(endpoint, tokens):
    thinking = Thinking(tokens=200, reads_cut=False)
    endpoint.answer = deepseek_r1
    engine = load(endpoint, thinking=thinking)
    thought = {"reasoning_content": "Hm." if tokens else "", "reasoning_tokens": tokens}
    endpoint.answer = lambda body: message_of("B", model="deepseek-r1", **thought)

    (answer,) = engine.p_first([Question(QUESTION.text, "", "A", "B", thinking=thinking)]).answers

    engine.close()
    assert (answer.unparsed, answer.text) == (True, "B")
    assert answer.problem == ("cut-reasoning" if tokens else "empty-reasoning")
