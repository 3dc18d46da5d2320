"""The waiting mode of threads is set before torch is loaded, unless the user has set it."""

import os

import pytest

from evenhand.engine import DEMO_MODEL, EngineSettings, load_renderer


@pytest.mark.parametrize(("chosen", "waits"), [(None, "PASSIVE"), ("ACTIVE", "ACTIVE")])
def test_threads_sleep_while_they_wait_unless_the_user_chose_otherwise(monkeypatch, chosen, waits):
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    if chosen:
        monkeypatch.setenv("OMP_WAIT_POLICY", chosen)

    load_renderer(EngineSettings("transformers", DEMO_MODEL))

    assert os.environ["OMP_WAIT_POLICY"] == waits
