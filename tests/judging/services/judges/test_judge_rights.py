"""Who may add which judge: sources of models and pickles are rights of their own."""

import pytest
from rest_framework.test import APIClient

from judging.models import Judge
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
