"""An engine whose answers are of no use any more stops, and works again."""

from contextlib import closing
from threading import Thread

import pytest

from evenhand.engine import EngineSettings, Request, load_engine
from evenhand.engine.endpoint.direct_requests import DirectRequests
from evenhand.engine.endpoint.http_client import EndpointClient
from evenhand.engine.interruption import Interrupted, allow_engines, interrupt_engines
from tests.evenhand.engine.endpoint.misbehaving_server import ServedEndpoint, Turnstile, reply
from tests.evenhand.engine.tiny_models import save_model


@pytest.fixture(autouse=True)
def allowed():
    yield
    allow_engines()


@pytest.mark.parametrize("family", ["llama", "t5", "bart"])
def test_local_judge_takes_no_further_step(tmp_path, family):
    folder = save_model(tmp_path, family, opening="<s>")
    engine, request = load_engine(EngineSettings("transformers", str(folder))), Request("The boat", max_new_tokens=8)
    whole = engine.generate([request])

    interrupt_engines()
    with pytest.raises(Interrupted):
        engine.generate([request])
    allow_engines()

    assert engine.generate([request]) == whole


def test_requests_that_wait_for_a_reply_or_pause_end():
    with (
        ServedEndpoint(Turnstile(lambda body: reply("A"), lets_through=0)) as endpoint,
        closing(EndpointClient(EngineSettings("openai", "judge", base_url=endpoint.url))) as client,
    ):
        requests = DirectRequests(client, concurrency=2)

        for wanted in (2, 4):
            Thread(target=interrupt_after, args=(endpoint, wanted)).start()
            with pytest.raises(Interrupted):
                requests.map(lambda body: client.ask(body), [{}] * 5)
            assert len(endpoint.asked) == wanted
            allow_engines()
            client.retries.pause.pause_all(0.01)

        endpoint.answer.open()
        assert [one.text for one in requests.map(lambda body: client.ask(body), [{}] * 3)] == ["A"] * 3


def interrupt_after(endpoint, requests):
    """Interrupt once the endpoint was asked so often."""
    while len(endpoint.asked) < requests:
        endpoint.closing.wait(0.01)
    interrupt_engines()
