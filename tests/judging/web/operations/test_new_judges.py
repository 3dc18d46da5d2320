"""A new judge by page, API (JSON and form) and command: the same row, the same refusals."""

import pytest
from django.forms import model_to_dict
from rest_framework.test import APIClient

from judging.models import Judge
from tests.commands import printed
from tests.doors import arguments, texts
from tests.factories import make_user

pytestmark = pytest.mark.django_db

LOCAL = {"name": "mine", "backend": "transformers", "model": "some/model"}
FAR = {"name": "far", "backend": "openai", "model": "gpt", "base_url": "http://127.0.0.1:8000/v1"}
ALL_OF_ENDPOINTS = FAR | {
    "api_key_env": "FAR_API_KEY",
    "dialect": "vllm",
    "ask_by": "forced-choice",
    "price_input": 2.5,
    "price_output": 10,
}


@pytest.fixture
def doors(client, capsys, settings):
    """Each door: options -> its problems, empty if there is a judge now."""
    settings.ENDPOINT_HOSTS = ["127.0.0.1"]
    rita = make_user("rita", "researcher")
    client.force_login(rita)
    api = APIClient()
    api.force_authenticate(rita)

    def page(options):
        answer = client.post("/judges/new/", {name: texts(value) for name, value in options.items()})
        errors = answer.context["form"].errors.items() if answer.context else ()
        return [text if name == "__all__" else f"{name}: {text}" for name, some in errors for text in some]

    def posted(options, form):
        answer = api.post("/api/judges/", options, format=form)
        return [] if answer.status_code == 201 else answer.json()["problems"]

    def command(options):
        others = {name: value for name, value in options.items() if name != "name"}
        try:
            printed(capsys, "add_judge", options["name"], *arguments(others), "--no-check")
        except SystemExit:
            return capsys.readouterr().err.splitlines()
        return []

    return {
        "page": page,
        "JSON": lambda options: posted(options, "json"),
        "form": lambda options: posted(options, "multipart"),
        "command": command,
    }


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        (LOCAL, {"dtype": "float32", "device": "auto", "revision": ""}),
        (LOCAL | {"revision": "v2", "dtype": "bfloat16", "device": "cuda:1"}, {"dtype": "bfloat16"}),
        (LOCAL | {"name": " mine ", "model": "some/model "}, {"name": "mine", "model": "some/model"}),
        ({"name": "rm", "backend": "metric", "model": "reward:some/reward-model"}, {"price_input": None}),
        (ALL_OF_ENDPOINTS, {}),
    ],
)
def test_every_door_adds_the_same_judge(doors, options, kept):
    made = {}
    for name, door in doors.items():
        assert (name, door(options)) == (name, [])
        judge = Judge.objects.get(name=options["name"].strip())
        made[name] = model_to_dict(judge, exclude=["id", "owner"])
        judge.delete()

    assert made["page"] == made["JSON"] == made["form"] == made["command"]
    assert made["page"] | options | kept == made["page"]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (LOCAL | {"name": "demo"}, 'name: "demo" is not free — choose another name'),
        (LOCAL | {"name": " "}, "name: '' — give a name of printable characters"),
        (LOCAL | {"name": "x" * 201}, "name: 201 characters — write at most 200"),
        (LOCAL | {"backend": ""}, "backend: needed"),
        (LOCAL | {"backend": "recorded"}, 'backend: "recorded" is unknown; choose one of: transformers, openai, '),
        (LOCAL | {"model": ""}, "model: needed"),
        (LOCAL | {"model": " "}, "model: missing — give a hub id or a folder"),
        (LOCAL | {"model": "x" * 501}, "model: 501 characters — write at most 500"),
        (LOCAL | {"model": "/no/such/folder"}, 'model: there is no folder "/no/such/folder"'),
        (LOCAL | {"dtype": "int8"}, 'dtype: "int8" is unknown; choose one of: float32, bfloat16, float16'),
        (LOCAL | {"device": "tpu"}, 'device: "tpu" is unknown; choose cpu, cuda, cuda:1 (or another number) or auto'),
        (LOCAL | {"revision": "x" * 201}, "revision: 201 characters — write at most 200"),
        (LOCAL | {"price_input": 1, "price_output": 1}, "price_input, price_output: only endpoints have prices"),
        (LOCAL | {"ask_by": "text"}, "dialect, ask_by: only endpoints have them"),
        (FAR | {"base_url": ""}, 'base_url: "" — give the endpoint\'s address, such as http://localhost:8000/v1'),
        (FAR | {"base_url": "http://a/" + "x" * 500}, "base_url: 509 characters — write at most 500"),
        (FAR | {"revision": "main"}, "revision: an endpoint has none"),
        (
            FAR | {"api_key_env": "sk-0123"},
            "api_key_env: give the name of an environment variable that ends in _API_KEY",
        ),
        (FAR | {"dialect": "vlm"}, 'dialect: "vlm" is unknown (did you mean "vllm"?); choose one of: '),
        (FAR | {"ask_by": "force"}, 'ask_by: "force" is unknown'),
        (FAR | {"price_input": 1}, "price_output: missing — give both prices, or none"),
        (FAR | {"price_input": -1, "price_output": 1}, "price_input: -1 — give a number of at least 0"),
        (FAR | {"price_input": 1, "price_output": "nan"}, "price_output: nan — give a number of at least 0"),
        (FAR | {"price_input": 1, "price_output": "inf"}, "price_output: inf — give a price of 0 or more"),
    ],
)
def test_every_door_refuses_in_the_same_words(doors, options, problem):
    for name, door in doors.items():
        [said] = door(options)
        assert said.startswith(shown_at_field(problem) if name == "page" else problem), name
    assert Judge.objects.count() == 1


def shown_at_field(problem):
    """Return a problem of several fields as a page shows it, at the first one."""
    fields, colon, reason = problem.partition(": ")
    return f"{fields.partition(',')[0]}{colon}{reason}"


def test_only_the_command_names_a_host_that_is_not_allowed(doors, settings):
    settings.ENDPOINT_HOSTS = ["localhost"]

    said = {name: door(FAR) for name, door in doors.items()}

    assert said.pop("command") == []
    for problems in said.values():
        assert problems[0].startswith('base_url: "127.0.0.1" is not among the hosts in the setting ENDPOINT_HOSTS')


def test_an_unknown_option_is_refused_by_page_and_api(doors):
    del doors["command"]
    for door in doors.values():
        assert door(LOCAL | {"devise": "cpu"})[0].startswith('devise: unknown (did you mean "device"?)')
