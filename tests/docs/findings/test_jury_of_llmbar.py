"""The finding about juries on LLMBar, computed again."""

import json
from pathlib import Path

import pytest

from docs.findings import jury_of_llmbar

pytestmark = [pytest.mark.django_db, pytest.mark.realdata]

NUMBERS = Path(jury_of_llmbar.__file__).with_suffix(".json")


def test_committed_numbers_are_those_of_the_recorded_verdicts(shared_data, capsys):
    assert jury_of_llmbar.finding(shared_data / "data" / "llmbar") == json.loads(NUMBERS.read_text())
