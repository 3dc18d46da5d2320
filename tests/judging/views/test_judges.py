"""Pages of judges."""

import pytest
from django.urls import reverse

from judging.models import Judge
from tests.factories import make_dataset, make_judge, make_run, make_user

pytestmark = pytest.mark.django_db

CHOSEN = {
    "name": "flan",
    "backend": "transformers",
    "model": "google/flan-t5-base",
    "revision": "",
    "dtype": "float32",
    "device": "auto",
}


def test_researcher_adds_a_judge(client, researcher):
    answer = client.post(reverse("judge-new"), CHOSEN)

    judge = Judge.objects.get(name="flan")
    assert (judge.backend, judge.model) == ("transformers", "google/flan-t5-base")
    assert answer.headers["Location"] == judge.get_absolute_url()


def test_researcher_adds_a_metric(client, researcher):
    page = client.post(reverse("judge-new"), CHOSEN | {"backend": "metric", "model": "rouge-l"}, follow=True)

    assert Judge.objects.filter(name="flan", backend="metric", model="rouge-l").exists()
    assert "A metric: F1 of the longest common subsequence of words, from 0 to 1" in page.content.decode()


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("name", "demo", "is taken"),
        ("device", "tpu", "choose cpu, cuda"),
        ("model", "/no/such/folder", "there is no folder"),
        ("backend", "openai", "Select a valid choice"),
    ],
)
def test_judge_form_shows_refusals_at_their_fields(client, researcher, field, value, reason):
    page = client.post(reverse("judge-new"), CHOSEN | {field: value})

    assert reason in str(page.context["form"].errors[field])
    assert not Judge.objects.filter(name="flan").exists()


def test_form_has_no_place_for_a_key(client, researcher):
    fields = client.get(reverse("judge-new")).context["form"].fields

    assert [name for name in fields if "key" in name] == []


def test_demo_judge_has_a_warning(client, researcher):
    page = client.get(Judge.objects.get(name="demo").get_absolute_url()).content.decode()

    assert "The demo judge is trained for the sample data only." in page


def test_other_judge_has_no_warning(client, researcher):
    assert "no research instrument" not in client.get(make_judge().get_absolute_url()).content.decode()


def test_judge_shows_the_variable_that_holds_the_key_and_not_the_key(client, researcher, monkeypatch):
    monkeypatch.setenv("SOME_KEY", "very-secret")
    judge = make_judge(backend="openai", base_url="http://localhost:1/v1", api_key_env="SOME_KEY")

    page = client.get(judge.get_absolute_url()).content.decode()

    assert "SOME_KEY" in page
    assert "very-secret" not in page


def test_endpoint_has_no_number_format_and_no_device_of_ours(client, researcher):
    judge = make_judge("gpt", backend="openai", base_url="http://localhost:1/v1", dtype="float16", device="cuda:7")

    pages = [client.get(page).content.decode() for page in (judge.get_absolute_url(), reverse("judge-list"))]

    assert ["float16" in page or "cuda:7" in page for page in pages] == [False, False]
    assert "http://localhost:1/v1" in pages[0]


def test_judge_counts_and_lists_only_visible_runs(client, researcher):
    dataset, judge = make_dataset(), make_judge()
    mine = make_run(dataset, judge=judge, owner=researcher)
    other = make_run(dataset, judge=judge, owner=make_user("olaf", "researcher"))

    page = client.get(judge.get_absolute_url()).content.decode()
    counted = client.get(reverse("judge-list")).context["judges"].get(pk=judge.pk).run_count

    assert mine.get_absolute_url() in page
    assert other.get_absolute_url() not in page
    assert counted == 1
