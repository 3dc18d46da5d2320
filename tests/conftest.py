"""What every test may use: the shared data, a researcher who is signed in, no report from before."""

import gc
from pathlib import Path

import pytest
from django.core.cache import cache

from tests.factories import make_user

SHARED = Path(__file__).resolve().parent.parent.parent / "shared"


def pytest_collection_finish():
    """What is loaded stays: the garbage collector, a tenth of the time, need not look through it again and again."""
    gc.freeze()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder with the real datasets and cases; skips where it is missing."""
    if not (SHARED / "data").is_dir():
        pytest.skip("the real datasets are missing: no folder shared/ beside the checkout")
    return SHARED


@pytest.fixture
def researcher(client):
    """Rita, who is signed in."""
    person = make_user("rita", "researcher")
    client.force_login(person)
    return person


@pytest.fixture
def forget_reports():
    """Reports are kept by the numbers of rows, which begin again with every test."""
    cache.clear()
