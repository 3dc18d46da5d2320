"""The commands that check, list, rename and retire judges."""

import shutil
import time

import pytest
from django.core.management import call_command

from judging.management.commands import add_judge as add_judge_command
from judging.management.commands.add_judge import HOW_TO_SKIP
from judging.models import Judge
from judging.services.judges.judge_changes import retire_judge
from tests.commands import printed, printed_json, refused
from tests.evenhand.engine.endpoint.misbehaving_server import ServedEndpoint, status
from tests.factories import make_dataset, make_judge

pytestmark = pytest.mark.django_db


def local(model, *options):
    return ("add_judge", "mine", "--backend", "transformers", "--model", model, *options)


def remote(url, *options):
    return ("add_judge", "far", "--backend", "openai", "--model", "judge", "--base-url", url, *options)


def test_add_judge_stores_a_model_that_can_judge(capsys, tiny_model):
    assert printed_json(capsys, *local(tiny_model, "--device", "cpu"))["judge"] == "mine"
    assert Judge.objects.get(name="mine").model == str(tiny_model)


@pytest.mark.parametrize("options", [(), ("--no-check",)])
def test_add_judge_names_what_is_wrong_with_device_and_files_at_once(capsys, tiny_model, tmp_path, options):
    broken = tmp_path / "broken"
    shutil.copytree(tiny_model, broken)
    (broken / "tokenizer.json").write_text("{}")
    command = local(broken, "--device", "cuda:99", *options)

    if options:
        call_command(*map(str, command))
    else:
        device, tokenizer, advice = refused(capsys, *command)

        assert device.startswith('device "cuda:99" is missing')
        assert tokenizer.startswith(f'the model "{broken}" cannot be loaded: its tokenizer:')
        assert advice == HOW_TO_SKIP
    assert Judge.objects.filter(name="mine").exists() == bool(options)


def test_add_judge_asks_an_endpoint_one_question(capsys):
    with ServedEndpoint() as endpoint:
        printed(capsys, *remote(endpoint.url))

    assert len(endpoint.asked) == 1
    assert Judge.objects.filter(name="far").exists()


def test_add_judge_refuses_an_endpoint_that_does_not_answer(capsys):
    with ServedEndpoint() as endpoint:
        endpoint.first_do(status(404, "no such model"))

        problem, advice = refused(capsys, *remote(endpoint.url))

    assert "answered 404: no such model" in problem
    assert advice == HOW_TO_SKIP
    assert not Judge.objects.filter(name="far").exists()


def test_add_judge_tries_an_endpoint_that_is_down_only_once(capsys, monkeypatch):
    monkeypatch.setattr("evenhand.engine.endpoint.retries.backoff", lambda attempt: pytest.fail("it tries again"))

    problem, _ = refused(capsys, *remote("http://127.0.0.1:9/v1"))

    assert problem.startswith("the endpoint http://127.0.0.1:9/v1/chat/completions cannot be reached")
    assert "resume" not in problem


def test_add_judge_asks_no_endpoint_without_a_check(capsys):
    with ServedEndpoint() as endpoint:
        printed(capsys, *remote(endpoint.url, "--no-check"))

    assert endpoint.asked == []


def test_add_judge_needs_the_key_that_it_checks_with(capsys, monkeypatch):
    monkeypatch.delenv("FAR_API_KEY", raising=False)

    problem, _ = refused(capsys, *remote("http://127.0.0.1:9/v1", "--api-key-env", "FAR_API_KEY"))

    assert problem == 'judge "far" needs the key in FAR_API_KEY; set that variable where it runs'


def test_add_judge_says_at_once_that_the_hub_cannot_be_reached(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(time, "sleep", lambda seconds: pytest.fail("it tries again and again"))

    problem, advice = refused(capsys, *local("somebody/judge"))

    assert problem == (
        'the model "somebody/judge" cannot be loaded: the hub (http://127.0.0.1:9) cannot be reached, and this model '
        "is not in the cache; check the network, or give a folder with the model"
    )
    assert advice == HOW_TO_SKIP


def test_add_judge_says_what_it_cannot_check(capsys, monkeypatch):
    monkeypatch.setattr(add_judge_command, "why_unchecked", lambda judge: "not checked: torch not installed here")

    call_command(*local("somebody/judge"))

    assert capsys.readouterr().err == "not checked: torch not installed here\n"
    assert Judge.objects.filter(name="mine").exists()


def test_judges_lists_retired_ones_too(capsys):
    retire_judge(make_judge("old"))

    rows = printed_json(capsys, "judges")["judges"]

    assert [(row["judge"], row["retired"], row["runs"]) for row in rows] == [("demo", False, 0), ("old", True, 0)]


def test_retired_judge_takes_no_run_until_it_is_brought_back(capsys, judge):
    make_dataset(candidates=(2,))
    arguments = ("judge", "--dataset", "Summaries", "--judge", "tiny")
    retire_judge(judge)

    assert refused(capsys, *arguments) == ['judge: "tiny" is retired; choose another, or bring it back into use']

    retire_judge(judge, retired=False)
    assert printed_json(capsys, *arguments)["runs"][0]["comparisons"] == 2
