"""A run of which nothing could be read says what would help, and shows a reply."""

import pytest
from django.core.management import call_command
from django.urls import reverse

from judging.models import Run
from judging.services.runs.progress import progress
from tests.evenhand.engine.endpoint.misbehaving_server import ServedEndpoint, reply
from tests.factories import answer_run, make_dataset, make_judge, make_run, make_user

pytestmark = pytest.mark.django_db

OPTION = "add the judge with --ask-by forced-choice"


def unread_run(*, unparsed, problem="no-verdict", environment=None, **judge):
    """A run of twelve comparisons, the first of them unparsed, after a run that was read."""
    dataset = make_dataset(candidates=(3, 3))
    answer_run(make_run(dataset, judge=make_judge("other")))
    judge = make_judge("remote", **{"backend": "openai", "base_url": "http://127.0.0.1:9/v1"} | judge)
    run = answer_run(make_run(dataset, judge=judge))
    keys = run.comparisons.values_list("pk", flat=True)[:unparsed]
    run.comparisons.filter(pk__in=list(keys)).update(
        outcome="unparsed", p_first=None, text="Both are good.", problem=problem
    )
    Run.objects.filter(pk=run.pk).update(environment=environment or {})
    return Run.objects.get(pk=run.pk)


@pytest.mark.parametrize("unparsed", [11, 12])
def test_run_at_an_endpoint_of_which_nearly_nothing_was_read_names_the_option(unparsed):
    reading = progress(unread_run(unparsed=unparsed)).reading

    assert (reading.unparsed, reading.replies, reading.reply) == (unparsed, 12, "Both are good.")
    assert OPTION in reading.advice


@pytest.mark.parametrize(
    ("problem", "asked_by", "backend"),
    [
        ("no-verdict", "forced-choice", "openai"),
        ("other-model", "logprobs", "openai"),
        ("no-verdict", "", "transformers"),
    ],
)
def test_advice_does_not_name_the_option_where_it_would_not_help(problem, asked_by, backend):
    address = {} if backend == "openai" else {"base_url": ""}
    run = unread_run(unparsed=12, problem=problem, environment={"asked_by": asked_by}, backend=backend, **address)

    assert progress(run).reading.advice.endswith("choose another prompt or judge.")


@pytest.mark.parametrize("unparsed", [0, 10])
def test_run_of_which_more_was_read_has_no_advice(unparsed):
    assert progress(unread_run(unparsed=unparsed)).reading is None


def test_recorded_run_has_no_advice():
    run = unread_run(unparsed=12)
    run.judge.backend = "recorded"

    assert progress(run).reading is None


def test_page_and_api_show_the_advice_and_a_reply(client):
    run = unread_run(unparsed=12)
    client.force_login(make_user("rita", "researcher"))

    page = client.get(reverse("run", args=[run.pk])).content.decode()
    reading = client.get(f"/api/runs/{run.pk}/").json()["progress"]["reading"]

    assert "<strong>No answer could be read.</strong> One of the replies: “Both are good.”" in page
    assert OPTION in page
    assert (reading["unparsed"], reading["replies"], reading["reply"]) == (12, 12, "Both are good.")
    assert OPTION in reading["advice"]


def test_command_shows_the_advice_and_a_reply(capsys):
    make_dataset(candidates=(3,))
    with ServedEndpoint(lambda body: reply("Neither is good.")) as endpoint:
        make_judge("remote", model="judge", backend="openai", base_url=endpoint.url)

        with pytest.raises(SystemExit) as ended:
            call_command("judge", "--dataset", "Summaries", "--judge", "remote")

    printed = capsys.readouterr()
    assert ended.value.code == 3
    assert "all answers are unparsed. One of them: 'Neither is good.'\nAn endpoint that can force" in printed.err
    assert OPTION in printed.err
