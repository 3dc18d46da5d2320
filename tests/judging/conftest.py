"""Fixtures of the tests of judging: judges that answer, and an endpoint that stops half-way."""

from math import log

import pytest

from judging.services.judges.loaded_engine import FIRST_SLICE
from tests.evenhand.engine.endpoint.misbehaving_server import ServedEndpoint, Turnstile, reply


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory):
    """The folder of a model with random weights. It answers some hundred questions a second."""
    from tests.evenhand.engine.tiny_models import save_model

    return save_model(tmp_path_factory.mktemp("tiny"), "llama", window=1024)


@pytest.fixture
def judge(tiny_model):
    """A judge with that model, stored in the database."""
    from tests.factories import make_judge

    return make_judge(model=str(tiny_model))


@pytest.fixture
def endpoint():
    """An endpoint that answers one trial question and the first slice; the rest once `endpoint.answer` is opened."""
    first = reply("A", [("A", {"A": log(0.75), "B": log(0.25)})])
    with ServedEndpoint(Turnstile(lambda body: first, lets_through=1 + FIRST_SLICE)) as served:
        yield served


@pytest.fixture
def remote_judge(endpoint):
    """A judge at that endpoint: its worker loads no model and waits where a test needs it to."""
    from tests.factories import make_judge

    return make_judge("remote", model="judge", backend="openai", base_url=endpoint.url)


@pytest.fixture
def ann(db):
    """Ann, an annotator who is not signed in."""
    from tests.campaigns import make_annotator

    return make_annotator("ann")
