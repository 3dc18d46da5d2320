"""Pages of judges."""

import pytest
from django.urls import reverse

from judging.models import Dataset, Judge, Run, Visibility
from judging.services.judges.judge_setup import engine_settings
from tests.factories import make_dataset, make_judge, make_run, make_user

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("model", "measure"),
    [
        ("rouge-l", "A metric: F1 of the longest common subsequence of words, from 0 to 1"),
        ("reward:{folder}", "the number of a reward model for the text as a response to the context"),
    ],
)
def test_page_of_a_new_metric_says_what_it_measures(client, researcher, tmp_path, model, measure):
    chosen = {"name": "mine", "backend": "metric", "model": model.format(folder=tmp_path), "dtype": "float32"}

    page = client.post(reverse("judge-new"), chosen | {"device": "auto"}, follow=True)

    assert page.redirect_chain == [(Judge.objects.get(name="mine").get_absolute_url(), 302)]
    assert measure in page.content.decode()


def test_only_the_demo_judge_has_a_warning(client, researcher):
    demo, other = (
        client.get(one.get_absolute_url()).content.decode() for one in (Judge.objects.get(name="demo"), make_judge())
    )

    assert ["The demo judge is trained for the sample data only." in page for page in (demo, other)] == [True, False]


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


def test_researcher_renames_and_retires_a_judge(client, researcher):
    judge = make_judge("flan", owner=researcher)

    client.post(reverse("judge-change", args=[judge.pk]), {"name": "flan-t5", "rename": ""})
    page = client.post(reverse("judge-change", args=[judge.pk]), {"name": "flan-t5", "retire": ""}, follow=True)

    judge.refresh_from_db()
    assert (judge.name, judge.is_retired) == ("flan-t5", True)
    assert "it takes no new runs" in page.content.decode()
    assert 'name="restore"' in page.content.decode()


def test_judge_with_runs_of_others_is_not_changed(client, researcher):
    judge = make_judge("flan", owner=researcher)
    make_run(make_dataset(), judge=judge, owner=make_user("sam", "researcher"))

    assert client.post(reverse("judge-change", args=[judge.pk]), {"retire": ""}).status_code == 404
    assert "Rename or retire" not in client.get(judge.get_absolute_url()).content.decode()


def test_judges_are_listed_by_name(client, researcher):
    for name in ("zeta", "alpha"):
        make_judge(name)

    page = client.get(reverse("judge-list"))

    assert [judge.name for judge in page.context["judges"]] == ["alpha", "demo", "zeta"]


def test_judge_shows_what_the_last_probe_found(client, researcher):
    refused = {"temperature": "only the default is supported"}
    probe = {"dialect": "vllm", "refused": refused, "top_logprobs": 20, "model": "judge-2026"}
    judge = make_judge("gpt", backend="openai", base_url="http://localhost:1/v1", probes={"on": probe})

    page = client.get(judge.get_absolute_url()).content.decode()

    assert "<code>temperature</code>: only the default is supported" in page
    assert "With thinking" in page
    assert "Without thinking" not in page
    assert "Probe again" not in page


def test_endpoint_is_asked_again_for_what_it_refused_once_its_owner_says_so(client, researcher):
    probe = {"dialect": "vllm", "refused": {"logprobs": "not yet"}, "asked_by": "words"}
    judge = make_judge(
        "gpt", backend="openai", base_url="http://localhost:1/v1", probes={"off": probe}, owner=researcher
    )
    assert dict(engine_settings(judge).refused) == {"logprobs": "not yet"}
    assert "Probe again at the next run" in client.get(judge.get_absolute_url()).content.decode()

    client.post(reverse("judge-change", args=[judge.pk]), {"forget": ""})

    settings = engine_settings(Judge.objects.get(pk=judge.pk))
    assert (settings.refused, settings.asked_before) == ((), "")


@pytest.fixture
def hidden_judge():
    """A recorded judge of Olaf, with a run on his private dataset."""
    olaf = make_user("olaf", "researcher")
    run = make_run(make_dataset("Private", owner=olaf), owner=olaf)
    Dataset.objects.update(visibility=Visibility.PRIVATE)
    judge = make_judge("secret-7b", backend="recorded", model="secret/model", owner=olaf)
    Run.objects.filter(pk=run.pk).update(judge=judge)
    return judge


def test_a_judge_of_hidden_runs_is_named_nowhere(client, researcher, hidden_judge):
    pages = [client.get(reverse(name)).content.decode() for name in ("judge-list", "run-list", "study-new")]
    pages.append(client.get("/api/judges/").content.decode())
    asked = {"dataset": "Private", "judge": "secret-8b", "attribute": "coherence"}
    pages.append(client.post("/api/runs/", asked, content_type="application/json").content.decode())

    assert [page for page in pages if "secret-7b" in page] == []
    for address in (hidden_judge.get_absolute_url(), f"/api/judges/{hidden_judge.pk}/"):
        assert client.get(address).status_code == 404


def test_a_recorded_judge_is_seen_by_who_sees_a_run_of_it_without_who_added_it(client, researcher, hidden_judge):
    Dataset.objects.update(visibility=Visibility.OPEN)
    Run.objects.update(owner=None)

    page = client.get(hidden_judge.get_absolute_url()).content.decode()

    assert "secret-7b" in page
    assert "olaf" not in page
    assert client.get(f"/api/judges/{hidden_judge.pk}/").json()["owner"] is None


def test_a_judge_without_runs_is_seen_by_who_added_it(client, hidden_judge):
    Run.objects.all().delete()
    client.force_login(hidden_judge.owner)

    assert "secret-7b" in client.get(reverse("judge-list")).content.decode()
