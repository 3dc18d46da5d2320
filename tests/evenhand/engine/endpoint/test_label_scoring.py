"""Endpoints that score the label tokens of our own prompt."""

from contextlib import ExitStack, closing
from math import nan

import pytest

from evenhand.engine import EngineError, EngineSettings, LoadFailed, Question, Thinking, load_engine
from evenhand.engine.endpoint import retries
from evenhand.engine.endpoint.chat_messages import ChatRenderer
from evenhand.engine.questions.pair_questions import Request
from evenhand.engine.questions.scale_questions import ScaleQuestion
from tests.evenhand.engine.endpoint.misbehaving_server import ServedEndpoint, status
from tests.evenhand.engine.endpoint.scoring_servers import ScoringServer
from tests.evenhand.engine.tiny_models import CHAT_TEMPLATE, save_model

TEXT = "Summary A: The old captain painted.\n\nSummary B: {}\n\nWhich Summary is more coherent?"
PAIRS = [Question(TEXT.format(text), "Summary", " A", " B") for text in ("The boat.", "The boat was painted.", "No")]
LONG_LABELS = Question(PAIRS[0].text, "", "Output (a)", "Output (b) is better")
WITH_TIE = Question(PAIRS[0].text, "Summary", " A", " B", label_tie=" C")
SCALE = ScaleQuestion("How coherent is it?", "Score:", " 1", " 10")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return save_model(tmp_path_factory.mktemp("model"), "llama", chat_template=CHAT_TEMPLATE)


@pytest.fixture(scope="module")
def local(folder):
    return load_engine(EngineSettings("transformers", str(folder)))


@pytest.fixture
def endpoint():
    with ServedEndpoint() as served:
        yield served


@pytest.fixture
def server(folder, endpoint, request):
    """A server of the kind that the test names; vLLM by default."""
    server = ScoringServer(folder, getattr(request, "param", "vllm"))
    server.serve(endpoint)
    return server


@pytest.fixture
def load(endpoint):
    """Load the engine of the endpoint; it is closed after the test."""
    with ExitStack() as opened:
        yield lambda **settings: opened.enter_context(
            closing(load_engine(EngineSettings("openai", "judge", base_url=endpoint.url, **settings)))
        )


@pytest.mark.parametrize("server", ["vllm", "sglang"], indirect=True)
def test_answers_are_those_of_the_same_model_loaded_here(load, server, endpoint, local):
    questions = [*PAIRS, LONG_LABELS]

    engine = load()
    there, here = engine.p_first(questions).answers, local.p_first(questions).answers
    description = engine.describe()

    assert (description.asked_by, description.gives_probabilities) == ("scoring", True)
    for name in ("p_first", "logprob_first", "logprob_second"):
        expected = [getattr(answer, name) for answer in here]
        assert [getattr(answer, name) for answer in there] == pytest.approx(expected, abs=1e-5)
    assert len({round(answer.p_first, 3) for answer in here}) == 4


@pytest.mark.parametrize("server", ["vllm", "sglang"], indirect=True)
def test_ties_and_scores_are_those_of_the_same_model_too(load, server, endpoint, local):
    engine = load()
    (tie,), (tie_here,) = engine.p_first([WITH_TIE]).answers, local.p_first([WITH_TIE]).answers
    (score,), (score_here,) = engine.scores([SCALE]).answers, local.scores([SCALE]).answers

    assert tie.choice == tie_here.choice
    assert (tie.logprob_tie, score.score) == pytest.approx((tie_here.logprob_tie, score_here.score), abs=1e-5)


def test_what_the_judge_reads_is_the_prompt_of_a_local_judge(load, server, endpoint):
    engine = load()

    rendered = engine.render(PAIRS[0])

    assert rendered == ChatRenderer(by_scoring=True).render(PAIRS[0])
    assert (rendered.answer_prefix, rendered.label_first) == (" Summary", " A")
    assert "nothing else" not in rendered.prompt_text


def test_texts_are_still_written_in_a_chat(load, server, endpoint):
    engine = load()

    (written,) = engine.generate([Request("Analyse this.")])

    assert written.text == "I prefer the longer one."


def test_another_way_of_asking_is_used_where_it_is_chosen(load, server, endpoint):
    assert load(ask_by="text").describe().asked_by == "text"
    assert not any("label_token_ids" in body for body in endpoint.asked)


def test_server_without_scoring_is_asked_in_another_way(load, server, endpoint):
    endpoint.paths = {}

    assert load().describe().asked_by == "text"


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({}, r"answered 404: no such path"),
        ({"dialect": "ollama"}, r'its dialect "ollama" knows no such request'),
        ({"thinking": Thinking(tokens=20)}, "a judge that is asked so writes nothing, and cannot think first"),
    ],
)
def test_scoring_that_was_chosen_and_is_not_there_is_said(load, server, endpoint, settings, reason):
    endpoint.paths = {}

    with pytest.raises(LoadFailed, match=rf"does not score label tokens \(.*{reason}.*\); leave ask-by out"):
        load(ask_by="scoring", **settings)


def test_server_that_scores_several_items_at_once_is_not_scored_with(load, folder, endpoint):
    """Its own token between items changes the prompt."""
    ScoringServer(folder, "sglang", delimiter=3).serve(endpoint)

    with pytest.raises(LoadFailed, match=r"read \d+ tokens where \d+ were sent; it scored another prompt"):
        load(ask_by="scoring")


def test_prompt_that_the_server_cuts_is_an_error_of_its_question(load, server, endpoint):
    engine = load()
    server.window = 120

    short, long = engine.p_first([PAIRS[2], Question("word " * 200, "Summary", " A", " B")]).answers

    assert short.error == ""
    assert long.error.endswith("were sent; it scored another prompt")
    assert long.error.startswith("the endpoint read 119 tokens where")


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (nan, "the endpoint gives nan as a probability"),
        (1.5, "the endpoint gives 1.5 as a probability"),
        ("0.5", "the endpoint gives nan as a probability"),
    ],
)
def test_number_that_is_no_probability_is_an_error_of_its_question(load, server, endpoint, value, error):
    engine = load()
    endpoint.paths["/generative_scoring"] = lambda body: server.vllm(body) | {"data": [{"index": 0, "score": value}]}

    answers = engine.p_first(PAIRS).answers

    assert [answer.error for answer in answers] == [error] * 3


@pytest.mark.parametrize(
    ("document", "error"),
    [
        ({"data": []}, "the endpoint gave 0 probabilities where one was asked for"),
        ([], "the endpoint's reply is not a JSON object"),
    ],
)
def test_reply_of_another_form_is_an_error_of_its_question(load, server, endpoint, document, error):
    engine = load()
    endpoint.paths["/generative_scoring"] = lambda body: document

    (answer,) = engine.p_first(PAIRS[:1]).answers

    assert answer.error == error


def test_many_replies_that_cannot_be_read_fail_the_run(load, server, endpoint, monkeypatch):
    monkeypatch.setattr(retries, "LONGEST_OUTAGE", 0.0)
    engine = load()
    endpoint.paths["/generative_scoring"] = lambda body: {"data": []}

    with pytest.raises(EngineError, match=r"16 requests in a row failed .*, the last because the endpoint gave 0"):
        engine.p_first([PAIRS[0]] * 16)


def test_label_words_with_the_same_tokens_or_one_that_the_server_refuses_are_errors(load, server, endpoint):
    engine = load()

    (answer,) = engine.p_first([Question("Which?", "", " A", " A.")]).answers

    assert answer.error.startswith("the label words cannot be distinguished")

    endpoint.paths["/generative_scoring"] = lambda body: status(400, "label_token_id 9 is out of vocabulary range")

    (answer,) = engine.p_first(PAIRS[:1]).answers

    assert answer.error == "the endpoint answered 400: label_token_id 9 is out of vocabulary range"


def test_answers_of_another_model_are_unparsed_and_many_fail_the_run(load, server, endpoint):
    engine = load()
    asked = []

    def first_prompt_by_the_judge(body):
        asked.append(body["query"])
        return server.vllm(body) | {"model": "judge" if body["query"] == asked[0] else "other"}

    endpoint.paths["/generative_scoring"] = first_prompt_by_the_judge
    engine.p_first(PAIRS[:1])

    problems = [answer.problem for answer in engine.p_first(PAIRS).answers]

    assert problems == ["", "other-model", "other-model"]
    with pytest.raises(EngineError, match='now answers with the model "other"'):
        engine.p_first(PAIRS[1:])


def test_tokens_that_do_not_give_back_the_prompt_are_refused(load, server, endpoint):
    endpoint.paths["/detokenize"] = lambda body: {"prompt": "Something else."}

    with pytest.raises(LoadFailed, match="tokens of the prompt do not give back its text"):
        load(ask_by="scoring")
