"""Judges behind an endpoint: requests, answers and the description of the endpoint."""

import json
import logging
import subprocess
import sys
from math import log

import pytest

from evenhand.engine import EngineError, EngineSettings, LoadFailed, Question, Request, load_engine, load_renderer
from evenhand.engine.questions.scale_questions import ScaleQuestion
from tests.evenhand.engine.endpoint.misbehaving_server import KEY, ServedEndpoint, raw, reply, says, status

QUESTION = Question("Which Summary is more coherent, Summary A or Summary B?", "Summary", " A", " B", "Be fair.")
SOFT = reply("A", [("A", {"A": log(0.6), "B": log(0.2), " B": log(0.1), "The": log(0.05)})])


@pytest.fixture
def endpoint():
    with ServedEndpoint(lambda body: SOFT) as served:
        yield served


def load(endpoint, **changes):
    return load_engine(EngineSettings("openai", "judge", base_url=endpoint.url, api_key=KEY, **changes))


def test_question_is_asked_with_the_label_words_at_its_end(endpoint):
    engine = load(endpoint)
    endpoint.forget()

    engine.p_first([QUESTION])

    engine.close()
    assert endpoint.asked == [
        {
            "model": "judge",
            "messages": [
                {"role": "system", "content": "Be fair."},
                {
                    "role": "user",
                    "content": "Which Summary is more coherent, Summary A or Summary B?\n\n"
                    "Answer only with A or B, and nothing else.",
                },
            ],
            "max_tokens": 8,
            "temperature": 0.0,
            "logprobs": True,
            "top_logprobs": 20,
        }
    ]
    assert endpoint.headers[0]["Authorization"] == f"Bearer {KEY}"


def test_endpoint_without_a_key_receives_none(endpoint):
    load_engine(EngineSettings("openai", "judge", base_url=endpoint.url + "/")).close()

    assert "Authorization" not in endpoint.headers[0]


def test_renderer_shows_the_messages_that_are_sent(endpoint):
    engine = load(endpoint)
    endpoint.forget()
    engine.p_first([QUESTION])
    engine.close()

    rendered = load_renderer(EngineSettings("openai", "judge", base_url=endpoint.url)).render(QUESTION)

    assert json.loads(rendered.prompt_text) == endpoint.asked[0]["messages"]
    assert (rendered.answer_prefix, rendered.label_first, rendered.label_second) == ("", "A", "B")


def test_answers_come_in_the_order_of_the_questions(endpoint):
    def by_number(body):
        p = float(body["messages"][-1]["content"].split("\n")[0].removeprefix("Which of 0."))
        return reply("A", [("A", {"A": log(p / 100), "B": log(1 - p / 100)})])

    engine = load(endpoint)
    endpoint.answer = by_number
    batch = engine.p_first([Question(f"Which of 0.{p}", "", " A", " B") for p in range(10, 50)])
    engine.close()

    assert [answer.p_first for answer in batch.answers] == pytest.approx([p / 100 for p in range(10, 50)])
    assert batch.computed_tokens == 40 * 23


def test_cached_tokens_do_not_count_as_computed(endpoint):
    engine = load(endpoint)
    endpoint.answer = lambda body: reply("A", [("A", {"A": log(0.6), "B": log(0.4)})], cached=15)

    batch = engine.p_first([QUESTION])

    engine.close()
    assert (batch.answers[0].prompt_tokens, batch.computed_tokens) == (20, 8)


def test_description_says_that_there_are_probabilities(endpoint):
    engine = load(endpoint)

    description = engine.describe()

    engine.close()
    assert (description.backend, description.family, description.model) == ("openai", "endpoint", "judge")
    assert (description.gives_probabilities, description.top_logprobs) == (True, 20)
    assert not description.shares_prefixes
    assert description.revision == "judge-2026"
    assert (description.dtype, description.device, description.torch) == ("", "", "")


@pytest.mark.parametrize("first", [says(reply("A")), says(reply("A", []))])
def test_endpoint_that_ignores_logprobs_gives_hard_answers(endpoint, first):
    endpoint.first_do(first, says(reply("Summary A")), says(reply("B.")), says(reply("Neither")))

    engine = load(endpoint)
    answers = [engine.p_first([QUESTION]).answers[0] for _ in range(3)]
    description = engine.describe()
    engine.close()

    assert (description.gives_probabilities, description.top_logprobs) == (False, 0)
    assert [(answer.p_first, answer.unparsed, answer.text) for answer in answers] == [
        (1.0, False, "Summary A"),
        (0.0, False, "B."),
        (None, True, "Neither"),
    ]
    assert [body.get("logprobs") for body in endpoint.asked] == [True, None, None, None]


def test_endpoint_that_refuses_20_alternatives_is_asked_for_fewer(endpoint):
    endpoint.first_do(status(400, "top_logprobs must be at most 5"))

    engine = load(endpoint)

    engine.close()
    assert [body.get("top_logprobs") for body in endpoint.asked] == [20, 5]


def test_endpoint_with_another_name_for_the_token_limit_gets_that_name(endpoint):
    endpoint.first_do(status(400, "'max_tokens' is not supported; use max_completion_tokens"))
    engine = load(endpoint)

    engine.p_first([QUESTION])

    engine.close()
    assert (endpoint.asked[-1]["max_completion_tokens"], endpoint.asked[-1]["top_logprobs"]) == (8, 20)
    assert "max_tokens" not in endpoint.asked[-1]


def test_endpoint_that_refuses_everything_is_not_loaded(endpoint):
    endpoint.first_do(*[status(400, "the model is asleep")] * 40)

    with pytest.raises(LoadFailed, match=r"the model cannot be used: .* 400: the model is asleep"):
        load(endpoint)


def test_web_page_instead_of_an_endpoint_is_not_loaded(endpoint):
    endpoint.first_do(*[raw(b"<html>")] * 6)

    with pytest.raises(LoadFailed) as failure:
        load(endpoint)

    assert str(failure.value) == (
        'the model "judge" cannot be used: the endpoint\'s reply is not JSON, in 5 attempts; '
        f"is {endpoint.url} the base URL of its API (most end with /v1)?"
    )


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (reply(None, finish="content_filter"), "the endpoint gave no text: content_filter"),
        (reply("\n", finish="stop"), "the endpoint gave no text: stop"),
        (reply(None, finish=""), "the endpoint gave no text: no reason given"),
    ],
)
def test_reply_without_text_is_an_error_not_an_unparsed_answer(endpoint, document, reason):
    engine = load(endpoint)
    endpoint.first_do(says(document), says(document))

    (answer,) = engine.p_first([QUESTION]).answers
    (score,) = engine.scores([ScaleQuestion("How good?", "Score:", " 1", " 10")]).answers

    engine.close()
    assert (answer.error, answer.unparsed, answer.prompt_tokens) == (reason, False, 20)
    assert (score.error, score.unparsed, score.prompt_tokens) == (reason, False, 20)


@pytest.mark.parametrize("document", [reply(None, finish="length"), reply(""), reply("<think>\nWell")])
def test_model_that_thinks_first_is_not_loaded(endpoint, document):
    endpoint.answer = lambda body: document

    with pytest.raises(LoadFailed, match="switch thinking off at the endpoint"):
        load(endpoint)


def test_generate_returns_text_and_token_counts(endpoint):
    engine = load(endpoint)
    endpoint.answer = lambda body: reply(" Both are fine. ", finish="stop")
    endpoint.forget()

    written = engine.generate([Request("Describe it.", "Be fair.", max_new_tokens=64)])[0]

    engine.close()
    assert (written.text, written.complete, written.prompt_tokens, written.generated_tokens) == (
        "Both are fine.",
        True,
        20,
        3,
    )
    assert endpoint.asked == [
        {
            "model": "judge",
            "messages": [{"role": "system", "content": "Be fair."}, {"role": "user", "content": "Describe it."}],
            "max_tokens": 64,
            "temperature": 0.0,
        }
    ]


def test_generate_sends_the_seed_when_it_samples_and_marks_a_truncated_text(endpoint):
    engine = load(endpoint)

    engine.generate([Request("Describe it.", temperature=0.7, seed=11)])
    endpoint.first_do(says(reply("It begins", finish="length")))
    [cut] = engine.generate([Request("Describe it.")])
    engine.close()

    assert (endpoint.asked[-2]["temperature"], endpoint.asked[-2]["seed"]) == (0.7, 11)
    assert cut.complete is False


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        (says(reply(None, finish="stop")), "the endpoint gave no text: stop"),
        (says(reply("It", finish="content_filter")), "the endpoint's content filter stopped the text"),
        (status(400, "too long"), "the endpoint answered 400: too long"),
    ],
)
def test_generate_stores_a_failure_as_the_error_of_its_request(endpoint, behaviour, reason):
    engine = load(endpoint)
    endpoint.first_do(behaviour)

    assert engine.generate([Request("Describe it.")])[0].error == reason
    engine.close()


def test_generate_refuses_no_new_tokens_and_negative_temperature(endpoint):
    engine = load(endpoint)

    errors = [one.error for one in engine.generate([Request("x", max_new_tokens=0), Request("x", temperature=-1)])]

    engine.close()
    assert all(errors)


def test_closed_engine_raises(endpoint):
    engine = load(endpoint)
    engine.close()

    with pytest.raises(EngineError, match="this engine is closed"):
        engine.p_first([QUESTION])


def test_engine_needs_a_base_url():
    with pytest.raises(LoadFailed, match="--base-url"):
        load_engine(EngineSettings("openai", "judge"))


@pytest.mark.parametrize("key", ["secret key", "secret\n", "sécret"])
def test_invalid_key_is_refused_and_not_shown(endpoint, key):
    with pytest.raises(LoadFailed) as failure:
        load_engine(EngineSettings("openai", "judge", base_url=endpoint.url, api_key=key))

    assert "the endpoint's key contains a space" in str(failure.value)
    assert key.strip() not in str(failure.value)


def test_key_is_in_no_log_and_no_error(endpoint, caplog):
    caplog.set_level(logging.DEBUG)
    engine = load(endpoint)
    endpoint.first_do(status(400, f"the key {KEY} may not ask this"), status(401, f"wrong key: {KEY}"))

    error = engine.p_first([QUESTION]).answers[0].error
    with pytest.raises(EngineError) as failure:
        engine.p_first([QUESTION])

    engine.close()
    assert error == "the endpoint answered 400: the key [the key] may not ask this"
    assert KEY not in f"{failure.value!r} {failure.value.__context__!r}"
    assert KEY not in caplog.text


def test_endpoint_engine_needs_no_torch(endpoint):
    program = (
        "import sys; sys.modules['torch'] = sys.modules['transformers'] = None;"
        "from evenhand.engine import EngineSettings, load_engine;"
        f"print(load_engine(EngineSettings('openai', 'judge', base_url={endpoint.url!r})).describe().family)"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)

    assert done.stdout == "endpoint\n", done.stderr
