"""Failures of an endpoint: which are retried, which fail one question, and which fail the run."""

from threading import Barrier

import pytest

from evenhand.engine import EngineError, EngineSettings, LoadFailed, Question, Unavailable
from evenhand.engine.endpoint.direct_requests import DirectRequests
from evenhand.engine.endpoint.http_client import EndpointClient
from evenhand.engine.endpoint.openai_engine import EndpointEngine
from evenhand.engine.endpoint.retries import Clock, RequestFailed
from tests.evenhand.engine.endpoint.misbehaving_server import (
    KEY,
    InstantClock,
    ServedEndpoint,
    cut_off,
    hang_up,
    raw,
    reply,
    says,
    silence,
    status,
)

QUESTIONS = [Question(f"Which of {number}?", "", " A", " B") for number in range(3)]


@pytest.fixture
def endpoint():
    with ServedEndpoint() as served:
        yield served


@pytest.fixture
def clock():
    return InstantClock()


@pytest.fixture
def engine(endpoint, clock):
    """A loaded engine that sends one request at a time."""
    loaded = make_engine(endpoint.url, clock)
    loaded.describe()
    endpoint.forget()
    yield loaded
    loaded.close()


def make_engine(url, clock, *, timeout=30.0, attempts=None):
    settings = EngineSettings("openai", "judge", base_url=url, api_key=KEY)
    time = Clock(monotonic=clock.monotonic, wall=clock.wall, sleep=clock.sleep)
    client = EndpointClient(settings, timeout=timeout, clock=time, attempts=attempts)
    return EndpointEngine(settings, client, transport=DirectRequests(client, concurrency=1))


def answers(engine):
    return [(answer.p_first, answer.error) for answer in engine.p_first(QUESTIONS).answers]


def test_rate_limit_waits_as_long_as_the_endpoint_asks(endpoint, engine, clock):
    endpoint.first_do(status(429, Retry_After="7"))

    assert answers(engine) == [(1.0, "")] * 3
    assert clock.slept == [7.0]


def test_retry_after_zero_is_retried_after_growing_pauses(endpoint, engine, clock):
    endpoint.first_do(*[status(429, Retry_After="0")] * 4)

    assert answers(engine) == [(1.0, "")] * 3
    assert clock.slept == [1.0, 2.0, 4.0]
    assert len(endpoint.asked) == 7


def test_exhausted_rate_limit_delays_the_next_request(endpoint, engine, clock):
    endpoint.first_do(says(reply("A"), x_ratelimit_remaining_requests="0", x_ratelimit_reset_requests="1m30s"))

    answers(engine)

    assert clock.slept == [90.0]


def test_long_rate_limit_fails_the_run_and_says_when_to_resume(endpoint, engine):
    endpoint.first_do(status(429, "daily limit", Retry_After="3600"))

    with pytest.raises(EngineError, match="429: daily limit; it asks to wait 3,600 seconds; resume the run after that"):
        engine.p_first(QUESTIONS)


@pytest.fixture
def trial(endpoint, clock):
    """A loaded engine of a trial, on which somebody waits."""
    loaded = make_engine(endpoint.url, clock, attempts=1)
    loaded.describe()
    endpoint.forget()
    yield loaded
    loaded.close()


def test_trial_waits_once_for_a_short_time_that_the_endpoint_asks_for(endpoint, trial, clock):
    endpoint.first_do(status(429, Retry_After="1"))

    assert answers(trial) == [(1.0, "")] * 3
    assert clock.slept == [1.0]


@pytest.mark.parametrize(
    ("replies", "advice"),
    [
        ([status(429, "slow down", Retry_After="1")] * 2, "it asks to wait 1 second; try again after that"),
        ([status(429, "slow down", Retry_After="60")], "it asks to wait 60 seconds; try again after that"),
        ([status(429, "daily limit", Retry_After="3600")], "it asks to wait 3,600 seconds; try again after that"),
        ([status(429, "insufficient_quota: add credits")], "try again when there is quota again"),
        ([status(503, "loading")], "503: loading; check the endpoint"),
    ],
)
def test_trial_that_gives_up_says_when_to_try_again(endpoint, trial, replies, advice):
    endpoint.first_do(*replies)

    with pytest.raises(EngineError, match=advice):
        trial.p_first(QUESTIONS)

    assert len(endpoint.asked) == len(replies)


def test_rate_limit_that_never_ends_fails_the_run(endpoint, engine):
    endpoint.first_do(*[status(429, Retry_After="0")] * 20)

    with pytest.raises(EngineError, match="429: no, in 20 attempts; check the endpoint, then resume the run"):
        engine.p_first(QUESTIONS)


def test_used_up_quota_fails_the_run_at_once(endpoint, engine):
    endpoint.first_do(status(429, "insufficient_quota: add credits"))

    with pytest.raises(EngineError, match="resume the run when there is quota again"):
        engine.p_first(QUESTIONS)

    assert len(endpoint.asked) == 1


@pytest.mark.parametrize("code", [408, 500, 502, 503, 504])
def test_transient_status_is_retried_after_growing_pauses(endpoint, engine, clock, code):
    endpoint.first_do(status(code), status(code))

    assert answers(engine) == [(1.0, "")] * 3
    assert clock.slept == [1.0, 2.0]


def test_connection_lost_before_the_answer_is_retried(endpoint, engine, clock):
    endpoint.first_do(hang_up)

    assert answers(engine) == [(1.0, "")] * 3
    assert clock.slept == [1.0]


def test_lasting_server_error_is_the_error_of_its_question(endpoint, engine, clock):
    endpoint.first_do(*[status(500, "worker died")] * 5)

    assert answers(engine) == [(None, "the endpoint answered 500: worker died, in 5 attempts"), (1.0, ""), (1.0, "")]
    assert clock.slept == [1.0, 2.0, 4.0, 8.0]


def test_unavailable_endpoint_fails_the_run(endpoint, engine):
    endpoint.first_do(*[status(503, "loading")] * 5)

    with pytest.raises(EngineError, match="503: loading, in 5 attempts; check the endpoint, then resume the run"):
        engine.p_first(QUESTIONS)


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        (raw(b" " * 9_000_000), "the endpoint's reply is longer than 8388608 bytes"),
        (says(reply(7)), "the endpoint's reply has content that is not text"),
        (status(400, "16000 tokens, at most 8192"), "the endpoint answered 400: 16000 tokens, at most 8192"),
        (status(413), "the endpoint answered 413: no"),
        (status(501), "the endpoint answered 501: no"),
    ],
)
def test_failure_of_one_question_is_not_retried_and_affects_no_other(endpoint, engine, clock, behaviour, reason):
    endpoint.first_do(behaviour)

    assert answers(engine) == [(None, reason), (1.0, ""), (1.0, "")]
    assert clock.slept == []


def test_timeout_fails_the_request(endpoint):
    endpoint.first_do(silence)
    client = EndpointClient(EngineSettings("openai", "judge", base_url=endpoint.url), timeout=0.05)

    with pytest.raises(RequestFailed, match="the endpoint timed out"):
        client.post({"model": "judge"})

    client.close()


BROKEN = {
    "cut JSON": (raw(b'{"choices": [{"mess'), "the endpoint's reply is not JSON"),
    "HTML": (raw(b"<html>Busy</html>"), "the endpoint's reply is not JSON"),
    "no text": (raw(b""), "the endpoint's reply is not JSON"),
    "deep JSON": (raw(b"[" * 100_000), "the endpoint's reply is not JSON"),
    "no UTF-8": (raw(b'{"choices": "\xff\xfe"}'), "the endpoint's reply is not JSON"),
    "a list": (says([reply("A")]), "the endpoint's reply is not a JSON object"),
    "no choices": (says({"choices": []}), "the endpoint's reply has no choices"),
    "an error": (says({"error": {"message": "overloaded"}}), "the endpoint's reply has no choices: overloaded"),
    "cut connection": (cut_off, "the connection broke in the middle of the reply ("),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_broken_reply_is_asked_again_after_growing_pauses(endpoint, engine, clock, kind):
    endpoint.first_do(*[BROKEN[kind][0]] * 4)

    assert answers(engine) == [(1.0, "")] * 3
    assert clock.slept == [1.0, 2.0, 4.0, 8.0]
    assert endpoint.asked[:4] == [endpoint.asked[4]] * 4


@pytest.mark.parametrize("kind", BROKEN)
def test_reply_that_stays_broken_is_the_error_of_its_question(endpoint, engine, kind):
    behaviour, reason = BROKEN[kind]
    endpoint.first_do(*[behaviour] * 5)

    failed, *others = answers(engine)

    assert failed[1].startswith(reason)
    assert failed[1].endswith(", in 5 attempts")
    assert others == [(1.0, ""), (1.0, "")]


def test_trial_reports_a_broken_reply_at_once_and_asks_for_the_base_url(endpoint, clock):
    endpoint.first_do(raw(b"<html>Sign in</html>"))
    trial = make_engine(endpoint.url, clock, attempts=1)

    with pytest.raises(LoadFailed, match=r"the endpoint's reply is not JSON; is http.* the base URL of its API"):
        trial.describe()

    trial.close()
    assert (len(endpoint.asked), clock.slept) == (1, [])


def test_endpoint_that_fails_as_a_whole_is_asked_again_after_growing_pauses(endpoint, engine, clock):
    endpoint.first_do(*[status(501, "broken")] * 20)

    given = [answer.p_first for answer in engine.p_first(QUESTIONS * 10).answers]

    assert (given.count(None), given.count(1.0)) == (15, 15)
    assert clock.slept == [5.0, 10.0, 20.0, 40.0, 60.0]


def test_endpoint_that_fails_for_minutes_fails_the_run(endpoint, engine, clock):
    engine.describe()
    endpoint.answer = lambda body: status(501, "broken")
    started = clock.now

    with pytest.raises(
        Unavailable, match=r"^\d+ requests in a row failed within \d+ seconds, the last because .* 501: broken"
    ):
        engine.p_first(QUESTIONS * 10)

    assert clock.now - started >= 300
    assert len(endpoint.asked) > 16


def test_endpoint_that_fails_again_later_gets_as_long_again(endpoint, engine, clock):
    for _ in range(3):
        endpoint.first_do(*[status(501)] * 20)
        assert 1.0 in [answer.p_first for answer in engine.p_first(QUESTIONS * 10).answers]


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        (raw(b"<html>Sign in</html>"), "the endpoint's reply is not JSON"),
        (says({"error": {"message": "overloaded"}}), "the endpoint's reply has no choices: overloaded"),
        (says({"error": {"message": f"no such key: {KEY}"}}), "the endpoint's reply has no choices"),
        (says(reply(None, finish="length")), "the endpoint gave no text: length; a model that thinks first"),
    ],
)
def test_replies_without_an_answer_for_minutes_fail_the_run_and_the_last_is_shown(endpoint, engine, behaviour, reason):
    engine.describe()
    endpoint.answer = lambda body: behaviour

    with pytest.raises(Unavailable) as failure:
        engine.p_first(QUESTIONS * 100)

    assert f"the last because {reason}" in str(failure.value)
    assert KEY not in str(failure.value)


def test_failures_with_an_answer_in_between_do_not_fail_the_run(endpoint, engine):
    endpoint.first_do(*[status(501)] * 15, says(reply("A")), *[status(501)] * 2)

    assert [answer.p_first for answer in engine.p_first(QUESTIONS * 6).answers] == [None] * 15 + [1.0] + [None] * 2


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (401, "answered 401 — it refuses the key"),
        (402, "answered 402: no — it requires payment first"),
        (403, "answered 403 — it does not allow this key to use the model"),
        (404, "answered 404: no — it has no such model, or the base URL is not that of its API"),
        (410, "answered 410: no — it no longer has this model or this address"),
        (307, "answered 307: no — an OpenAI-compatible endpoint does not answer so; check the base URL"),
    ],
)
def test_unusable_endpoint_fails_the_run_after_one_request(endpoint, engine, code, reason):
    endpoint.first_do(status(code))

    with pytest.raises(EngineError) as failure:
        engine.p_first(QUESTIONS)

    assert reason in str(failure.value)
    assert len(endpoint.asked) == 1


@pytest.mark.parametrize("code", [401, 404])
def test_unusable_endpoint_is_not_loaded(endpoint, clock, code):
    endpoint.first_do(status(code))
    engine = make_engine(endpoint.url, clock)

    with pytest.raises(LoadFailed, match=f"answered {code}"):
        engine.describe()

    engine.close()


def test_endpoint_that_redirects_is_not_loaded_and_the_error_names_the_target(endpoint, clock):
    endpoint.first_do(status(308, Location="https://judges.example.org/v1/chat/completions?token=secret"))
    engine = make_engine(endpoint.url, clock)

    with pytest.raises(LoadFailed, match=r"308: it redirects to https://judges.example.org/v1/chat/completions — "):
        engine.describe()

    engine.close()


def test_endpoint_without_https_fails_without_a_retry(endpoint, clock):
    engine = make_engine(endpoint.url.replace("http:", "https:"), clock)

    with pytest.raises(LoadFailed, match=r"does not speak https; does its base URL begin with http\?"):
        engine.describe()

    engine.close()
    assert clock.slept == []


def test_unreachable_endpoint_is_not_loaded(clock):
    with ServedEndpoint() as gone:
        engine = make_engine(gone.url, clock)

    with pytest.raises(Unavailable, match=r"cannot be reached .*, in 5 attempts; check its address and server, then"):
        engine.describe()

    engine.close()
    assert clock.slept == [1.0, 2.0, 4.0, 8.0]


def test_engine_recovers_after_the_endpoint_is_repaired(endpoint, engine):
    endpoint.first_do(status(401))
    with pytest.raises(EngineError):
        engine.p_first(QUESTIONS)

    assert answers(engine) == [(1.0, "")] * 3


def test_failure_of_the_run_ends_waiting_threads(endpoint):
    settings = EngineSettings("openai", "judge", base_url=endpoint.url)
    client = EndpointClient(settings)
    engine = EndpointEngine(settings, client, transport=DirectRequests(client, concurrency=4))
    engine.describe()
    all_are_asked = Barrier(4)
    limits = [after(all_are_asked, status(429, Retry_After="200")) for _ in range(3)]
    endpoint.first_do(*limits, after(all_are_asked, status(401)))

    with pytest.raises(EngineError, match="401"):
        engine.p_first(QUESTIONS[:1] * 4)

    engine.close()


def after(barrier, behaviour):
    def wait_and_behave(handler, endpoint):
        barrier.wait(30)
        behaviour(handler, endpoint)

    return wait_and_behave


def test_post_returns_the_body_unchanged(endpoint):
    client = EndpointClient(EngineSettings("openai", "judge", base_url=endpoint.url))
    endpoint.first_do(raw(b"anything"), status(400))

    assert client.post({"model": "judge"}) == b"anything"
    with pytest.raises(RequestFailed):
        client.post({"model": "judge"})
    client.close()
