"""Who may add which judge: sources of models and pickles are rights of their own."""

import pytest
from rest_framework.test import APIClient

from evenhand.engine import LoadFailed
from judging.models import Judge
from judging.services.judges.judge_setup import engine_settings
from tests.commands import printed
from tests.factories import make_user

pytestmark = pytest.mark.django_db
FOLDER = {"backend": "transformers", "model": "/srv/models/llama"}
HUB = {"backend": "transformers", "model": "google/flan-t5-base"}
ENDPOINT = {"backend": "openai", "model": "gpt", "base_url": "http://127.0.0.1:8000/v1"}
METRIC_OF_HUB = {"backend": "metric", "model": "reward:some/model"}


@pytest.fixture
def add(settings):
    """Return a function that adds a judge by the API as a new person with a role, and returns the problems."""
    settings.ENDPOINT_HOSTS = ["127.0.0.1"]
    people = iter(range(9))

    def posted(options, role="researcher"):
        client = APIClient()
        client.force_authenticate(make_user(f"{role}-{next(people)}", role))
        return client.post("/api/judges/", {"name": "mine", **options}, format="json").json().get("problems", [])

    return posted


@pytest.mark.parametrize(("name", "options"), [("folder", FOLDER), ("hub", HUB), ("endpoint", ENDPOINT)])
def test_each_source_is_a_right_of_its_own(add, settings, name, options):
    settings.RESEARCHERS_ADD = [one for one in ("folder", "hub", "endpoint") if one != name]

    assert f"model: only an admin may add a judge from this source: {name}" in add(options)
    assert not Judge.objects.filter(name="mine").exists()


def test_a_metric_with_a_model_needs_the_right_and_one_without_needs_none(add, settings):
    settings.RESEARCHERS_ADD = ["none"]

    assert add(METRIC_OF_HUB) == ["model: only an admin may add a judge from this source: hub"]
    assert add({"backend": "metric", "model": "rouge-l"}) == []


def test_an_admin_may_add_from_any_source(add, settings):
    settings.RESEARCHERS_ADD = ["none"]

    assert add(ENDPOINT, "admin") == []


def test_pickles_are_allowed_by_admins_and_commands_alone(add, capsys):
    asked = HUB | {"pickled_weights": True}
    by_command = (
        "add_judge",
        "yours",
        "--backend",
        "transformers",
        "--model",
        "a/b",
        "--pickled-weights",
        "--no-check",
    )

    assert add(asked) == ["pickled_weights: only an admin may allow pickles"]
    assert add(asked, "admin") == []
    printed(capsys, *by_command)

    assert set(Judge.objects.filter(pickled_weights=True).values_list("name", flat=True)) == {"mine", "yours"}


def test_an_endpoint_has_no_pickles(add):
    assert add(ENDPOINT | {"pickled_weights": True}) == [
        "pickled_weights: an endpoint loads no weights here; leave it out"
    ]


@pytest.fixture
def server_folders(tmp_path):
    """Name -> a path of the server: a folder, a quantised model, a GGUF file, or nothing."""
    paths = {name: tmp_path / name for name in ("there", "awq", "missing")} | {"gguf": tmp_path / "model.gguf"}
    paths["there"].mkdir()
    paths["awq"].mkdir()
    (paths["awq"] / "config.json").write_text('{"quantization_config": {"quant_method": "awq"}}')
    paths["gguf"].write_bytes(b"GGUF")
    return paths


@pytest.mark.parametrize("name", ["there", "awq", "missing", "gguf"])
@pytest.mark.parametrize(
    ("backend", "form"), [("transformers", "{}"), ("metric", "reward:{}"), ("metric", "bertscore:{}#3")]
)
def test_a_path_says_nothing_of_the_server_to_people_without_the_right(
    add, settings, server_folders, name, backend, form
):
    settings.RESEARCHERS_ADD = ["hub", "endpoint"]

    problems = add({"backend": backend, "model": form.format(server_folders[name])})

    assert problems == ["model: only an admin may add a judge from this source: folder"]


def test_the_page_says_nothing_of_the_server_either(client, settings, server_folders):
    settings.RESEARCHERS_ADD = ["hub", "endpoint"]
    client.force_login(make_user("rita", "researcher"))

    pages = {
        name: client.post("/judges/new/", {"name": "mine", "backend": "transformers", "model": str(path)})
        for name, path in server_folders.items()
    }

    problem = "only an admin may add a judge from this source: folder"
    assert {name: page.context["form"].errors for name, page in pages.items()} == {
        name: {"model": [problem]} for name in server_folders
    }


def test_a_folder_by_a_relative_path_needs_the_right(add, settings, server_folders, monkeypatch):
    settings.RESEARCHERS_ADD = ["hub", "endpoint"]
    monkeypatch.chdir(server_folders["there"].parent)

    for path in ("./there", "a/b/c", "a\\b"):
        assert add({"backend": "transformers", "model": path}) == [
            "model: only an admin may add a judge from this source: folder"
        ]


HUB_IDS = [("transformers", "there"), ("transformers", "model.gguf"), ("metric", "reward:there")]


@pytest.mark.parametrize(("backend", "model"), HUB_IDS)
def test_a_hub_id_that_is_also_a_folder_is_the_hubs_without_the_right_and_never_loads_the_folder(
    add, settings, server_folders, monkeypatch, backend, model
):
    settings.RESEARCHERS_ADD = ["hub"]
    monkeypatch.chdir(server_folders["there"].parent)

    problems = add({"backend": backend, "model": model})
    judge = Judge.objects.get(name="mine")

    assert (problems, judge.model) == ([], model)
    with pytest.raises(LoadFailed, match="is also a folder where this process runs; start it in another folder"):
        engine_settings(judge)
    monkeypatch.chdir("/")
    assert engine_settings(judge).model == model


def test_a_hub_id_that_is_also_a_folder_is_the_folder_for_those_who_may_add_folders(
    add, settings, server_folders, monkeypatch
):
    settings.RESEARCHERS_ADD = ["folder"]
    monkeypatch.chdir(server_folders["there"].parent)

    assert add({"backend": "metric", "model": "reward:there"}) == []
    assert Judge.objects.get(name="mine").model == f"reward:{server_folders['there']}"
    assert add(HUB | {"name": "other"}) == ["model: only an admin may add a judge from this source: hub"]
