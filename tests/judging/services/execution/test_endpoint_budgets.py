"""Limits of a day for a key and for each person: a run waits at its limit, and goes on where it stopped."""

from datetime import timedelta

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db.models import F

from evalsite.environment import env_limits
from evenhand.engine import load_engine
from judging.management.run_progress import describe_progress
from judging.models import EndpointUse
from judging.services.execution.chunk_execution import execute_chunk
from judging.services.judges.endpoint_limits import pause_of
from judging.services.judges.judge_setup import add_judge
from judging.services.judges.loaded_engine import EngineHolder, Pace
from judging.services.plans.generation_settings import GenerationSettings
from judging.services.runs.progress import progress
from judging.services.trimming import trim
from tests.commands import printed_json
from tests.evenhand.engine.endpoint.batch_endpoint import BatchEndpoint
from tests.evenhand.engine.endpoint.misbehaving_server import KEY, reply
from tests.factories import make_dataset, make_run, make_user

pytestmark = pytest.mark.django_db
WAITS = "It goes on at 00:00 UTC, or when an admin raises the limit."


class TwoAtOnce(Pace):
    """Slices of two questions."""

    def __init__(self):
        super().__init__(first=2)

    def record(self, questions, seconds):
        """Keep the size."""


@pytest.fixture
def endpoint(monkeypatch):
    monkeypatch.setenv("TEST_API_KEY", KEY)
    with BatchEndpoint(lambda body: reply("A")) as served:
        yield served


@pytest.fixture
def judge(endpoint):
    return add_judge(name="remote", backend="openai", model="judge", base_url=endpoint.url, api_key_env="TEST_API_KEY")


def execute(run, times=1):
    """Execute the run's chunks as workers do, without what an earlier process knew."""
    for _ in range(times):
        holder = EngineHolder(load_engine)
        for chunk in run.chunks.all():
            execute_chunk(chunk.pk, load=holder.load, pace=TwoAtOnce())
        holder.close()
    run.refresh_from_db()


def questions(endpoint):
    """The prompts that asked about the dataset; those of probes are left out."""
    texts = [body["messages"][-1]["content"] for body in endpoint.asked]
    return [text for text in texts if "Summary a of article" in text or "Summary b of article" in text]


def one_day_later():
    EndpointUse.objects.update(used_at=F("used_at") - timedelta(days=1))


@pytest.mark.parametrize("limit", [{"requests": 4}, {"requests": 100, "tokens": 80}])
@pytest.mark.parametrize("how", ["limit is raised", "next day"])
def test_run_waits_at_the_limit_of_its_key_and_goes_on_where_it_stopped(judge, endpoint, settings, limit, how):
    settings.ENDPOINT_LIMITS = {"TEST_API_KEY": limit}
    run = make_run(make_dataset(candidates=(3, 2)), judge=judge)

    execute(run, times=2)
    waiting = (run.status, run.comparisons.count(), set(run.chunks.values_list("status", flat=True)))
    while_waiting = len(endpoint.asked)
    execute(run)
    asked_while_waiting = len(endpoint.asked) - while_waiting
    if how == "next day":
        one_day_later()
        execute(run)
        one_day_later()
    else:
        settings.ENDPOINT_LIMITS = {}
    execute(run)

    assert waiting == ("running", 4, {"pending"})
    assert asked_while_waiting == 0
    assert (run.status, run.comparisons.count()) == ("done", 8)
    assert len(questions(endpoint)) == len(set(questions(endpoint)))


def test_each_sampled_text_is_a_request_and_one_slice_asks_no_more_texts_than_its_size(judge, endpoint, settings):
    settings.ENDPOINT_LIMITS = {"TEST_API_KEY": {"requests": 6}}
    sampled = GenerationSettings(samples=3, temperature=1.0)
    run = make_run(make_dataset(candidates=(3,)), judge=judge, generation=sampled)

    execute(run, times=2)

    assert (run.status, run.comparisons.count(), len(questions(endpoint))) == ("running", 2, 6)
    assert EndpointUse.objects.today().totals() == {"requests": 6, "tokens": run.computed_tokens}
    assert run.computed_tokens == 6 * (20 + 3)


def test_run_whose_last_answer_uses_up_the_limit_is_done(judge, settings):
    settings.ENDPOINT_LIMITS = {"TEST_API_KEY": {"requests": 6}}
    run = make_run(make_dataset(candidates=(3,)), judge=judge)

    execute(run)

    assert (run.status, run.comparisons.count(), progress(run).paused) == ("done", 6, "")


def test_limit_of_a_person_stops_the_runs_of_no_other_person(judge, settings):
    settings.ENDPOINT_LIMITS = {"person": {"requests": 2}}
    rita, olaf = make_user("rita", "researcher"), make_user("olaf", "researcher")
    dataset = make_dataset(candidates=(3,))
    hers, his, of_nobody = (make_run(dataset, judge=judge, owner=owner) for owner in (rita, olaf, None))

    for run in (hers, his, of_nobody):
        execute(run)

    assert [run.comparisons.count() for run in (hers, his, of_nobody)] == [2, 2, 6]
    assert progress(hers).paused == f"Paused: its owner has used 2 of 2 requests today. {WAITS}"


def test_limits_do_not_hold_for_judges_that_run_here(settings):
    settings.ENDPOINT_LIMITS = {"person": {"requests": 0}}
    run = make_run(owner=make_user("rita", "researcher"))

    assert pause_of(run.judge, run.owner_id) == ""


def test_batch_counts_when_it_is_sent_and_its_tokens_when_they_are_known(judge, settings):
    settings.ENDPOINT_LIMITS = {"TEST_API_KEY": {"requests": 6}}
    run = make_run(make_dataset(candidates=(3,)), judge=judge, in_batches=True)

    execute(run, times=2)
    sent = (EndpointUse.objects.today().totals(), run.status)
    one_day_later()
    execute(run, times=2)

    assert sent == ({"requests": 6, "tokens": 0}, "running")
    assert (run.status, run.comparisons.count()) == ("done", 6)
    assert EndpointUse.objects.today().totals() == {"requests": 0, "tokens": run.computed_tokens}


def test_page_api_command_and_preview_say_why_a_run_waits(client, judge, settings, capsys):
    settings.ENDPOINT_LIMITS = {"TEST_API_KEY": {"requests": 2}}
    ada = make_user("ada", "admin")
    client.force_login(ada)
    run = make_run(make_dataset(candidates=(3,)), judge=judge, owner=ada)
    execute(run)
    wanted = {"dataset": "Summaries", "attribute": "coherence", "judge": "remote", "dry_run": True}

    page = client.get(run.get_absolute_url()).content.decode()
    answer = client.get(f"/api/runs/{run.pk}/").json()["progress"]
    preview = client.post("/api/runs/", wanted, content_type="application/json").json()
    command = printed_json(capsys, "judge", "--dataset", "Summaries", "--judge", "remote", "--dry-run")

    sentence = f"Paused: the key TEST_API_KEY has used 2 of 2 requests today. {WAITS}"
    assert (sentence in page, answer["paused"], answer["stale"]) == (True, sentence, False)
    assert [row["warnings"] for row in preview["runs"]] == [[sentence]]
    assert [row["warnings"] for row in command["runs"]] == [[sentence]]
    assert describe_progress(run, progress(run)).endswith(f"2 of 6; {sentence}")


def test_deleting_a_run_gives_nothing_back_and_old_uses_are_removed(judge, settings):
    settings.ENDPOINT_LIMITS = {"TEST_API_KEY": {"requests": 6}}
    run = make_run(make_dataset(candidates=(3,)), judge=judge)
    execute(run)
    run.delete()

    assert pause_of(judge, None) == f"Paused: the key TEST_API_KEY has used 6 of 6 requests today. {WAITS}"
    trim(activity_kept=timedelta(days=30))
    assert EndpointUse.objects.exists()
    EndpointUse.objects.update(used_at=F("used_at") - timedelta(days=2))
    trim(activity_kept=timedelta(days=30))
    assert not EndpointUse.objects.exists()


def test_limits_are_read_from_the_environment(monkeypatch):
    monkeypatch.setenv("ENDPOINT_LIMITS", "OPENAI_API_KEY=10000/5000000, person=2000")
    assert env_limits("ENDPOINT_LIMITS") == {
        "OPENAI_API_KEY": {"requests": 10_000, "tokens": 5_000_000},
        "person": {"requests": 2_000},
    }

    for wrong in ("OPENAI_API_KEY", "=5", "person=many", "person=1/2/3", "person=-1"):
        monkeypatch.setenv("ENDPOINT_LIMITS", wrong)
        with pytest.raises(ImproperlyConfigured, match="give NAME=REQUESTS or NAME=REQUESTS/TOKENS"):
            env_limits("ENDPOINT_LIMITS")
