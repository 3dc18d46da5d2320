"""People who open pages, and what becomes of the runs that they start."""

import pytest

from tests.campaigns import make_annotator
from tests.factories import make_user


@pytest.fixture
def admin(client):
    person = make_user("ada", "admin")
    client.force_login(person)
    return person


@pytest.fixture
def ann(client):
    person = make_annotator("ann")
    client.force_login(person)
    return person


@pytest.fixture
def handed_over(monkeypatch):
    """The runs that pages gave to the workers."""
    runs: list[int] = []
    monkeypatch.setattr("judging.tasks.start_run", runs.append)
    return runs
