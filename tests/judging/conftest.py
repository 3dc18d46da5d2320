"""What the tests of judging share."""

import pytest


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory):
    """A folder with a model of random weights, which answers some hundred questions a second."""
    from tests.judging.engine.tiny_models import save_model

    return save_model(tmp_path_factory.mktemp("tiny"), "llama", window=1024)


@pytest.fixture
def judge(tiny_model):
    """A judge that really answers, by that model; in the database of a test that has one."""
    from tests.factories import make_judge

    return make_judge(model=str(tiny_model))
