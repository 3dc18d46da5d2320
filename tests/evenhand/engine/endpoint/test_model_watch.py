"""Replies of another model than the one that answered the trial."""

from math import log

import pytest

from evenhand.engine import EngineError, EngineSettings, Question, Request, load_engine
from evenhand.engine.endpoint.model_watch import MOST_OTHERS, ModelWatch
from evenhand.engine.replies.endpoint_reply import reply_of
from tests.evenhand.engine.endpoint.misbehaving_server import ServedEndpoint, reply

SOFT = [("A", {"A": log(0.8), "B": log(0.2)})]
QUESTION = Question("Which Summary is better?", "Summary", " A", " B")
OURS, OTHER = (reply_of(reply("A", model=model)) for model in ("judge-2026", "judge-2027"))


@pytest.fixture
def endpoint():
    with ServedEndpoint(lambda body: reply("A", SOFT)) as served:
        yield served


def load(endpoint):
    return load_engine(EngineSettings("openai", "judge", base_url=endpoint.url))


def test_endpoint_that_changes_its_model_fails_the_run(endpoint):
    engine = load(endpoint)
    endpoint.answer = lambda body: reply("A", model="judge-2027")

    with pytest.raises(
        EngineError, match='now answers with the model "judge-2027", and answered with "judge-2026" before'
    ):
        engine.p_first([QUESTION])

    assert engine.describe().revision == "judge-2027"
    engine.close()


def test_text_of_another_model_is_an_error(endpoint):
    engine = load(endpoint)
    models = iter(["judge-2026", "judge-2027"])
    endpoint.answer = lambda body: reply("1. Read.", model=next(models))

    texts = engine.generate([Request("Write.", max_new_tokens=8), Request("Write.", max_new_tokens=8)])

    engine.close()
    assert sorted(text.error for text in texts) == ["", 'the model "judge-2027" wrote this text, not "judge-2026"']


def test_watch_stops_after_some_replies_of_other_models_alone():
    watch = ModelWatch("judge-2026")
    for _ in range(MOST_OTHERS - 1):
        watch.check(OTHER)

    with pytest.raises(EngineError, match="now answers with the model"):
        watch.check(OTHER)


def test_watch_goes_on_if_the_expected_model_answers_too():
    watch = ModelWatch("judge-2026")
    watch.check(OURS)
    for _ in range(2 * MOST_OTHERS):
        watch.check(OTHER)

    watch.require_expected()


def test_watch_without_replies_has_nothing_to_require():
    ModelWatch("judge-2026").require_expected()
