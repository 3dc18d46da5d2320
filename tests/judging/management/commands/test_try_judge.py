"""`try_judge`: one pair, in both orders."""

import json

import pytest
from django.core.management import call_command

from judging.services.judges.judge_setup import add_judge
from tests.evenhand.engine.endpoint.fake_endpoints import deepseek_r1
from tests.evenhand.engine.endpoint.misbehaving_server import ServedEndpoint
from tests.factories import make_dataset

pytestmark = pytest.mark.django_db


@pytest.fixture
def judge():
    with ServedEndpoint(deepseek_r1) as served:
        yield add_judge(name="r1", backend="openai", model="judge", base_url=served.url)


def test_try_judge_shows_decisions_replies_and_reasoning(judge, capsys):
    make_dataset()

    call_command("try_judge", "r1", "--dataset", "Summaries", "--thinking", "on", "--thinking-tokens", "300")

    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("c0, prompt comparative-1, ")
    assert lines[1].startswith("a first, b second: ")
    assert lines[2].startswith("  thinking: The longer one says more. That is ")


def test_try_judge_shows_the_reasoning_before_the_answer(capsys):
    make_dataset()

    call_command("try_judge", "demo", "--dataset", "Summaries", "--prompt", "prepair-1")

    lines = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("  reasoning about a: ") for line in lines) == 2
    assert sum(line.startswith("  reasoning about b: ") for line in lines) == 2


def test_try_judge_prints_json(judge, capsys):
    make_dataset()

    call_command("try_judge", "r1", "--dataset", "Summaries", "--thinking", "on", "--json")

    row = json.loads(capsys.readouterr().out)
    assert (row["judge"], row["context"], len(row["orders"])) == ("r1", "c0", 2)
    assert row["orders"][0]["thinking_tokens"] == 40
