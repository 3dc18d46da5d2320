"""Savings by stopping when sure, by command, page and API."""

import pytest
from django.urls import reverse

from judging.models import Attribute, Candidate, HumanScore
from judging.services.execution.chunk_execution import execute_chunk
from judging.services.plans.selection_settings import SelectionSettings
from tests.commands import printed, printed_json, refused
from tests.evenhand.engine.fake_engine import FakeEngine
from tests.factories import make_dataset, make_run
from tests.rankings.studies import make_dataset as make_study
from tests.rankings.studies import one_context, scored

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]


def scored_dataset(*, contexts=4, candidates=8):
    """Contexts whose candidates people score by their letter: a above b above c …"""
    dataset = make_dataset(candidates=(candidates,) * contexts)
    attribute = Attribute.objects.get(dataset=dataset)
    HumanScore.objects.bulk_create(
        HumanScore(candidate=candidate, attribute=attribute, value=-ord(candidate.key))
        for candidate in Candidate.objects.filter(context__dataset=dataset)
    )
    return dataset


def judged(dataset, **selection):
    """A run whose judge prefers earlier letters, mildly and with noise that hashes the question."""
    run = make_run(dataset, selection=SelectionSettings(**selection))
    for chunk_id in run.chunks.values_list("pk", flat=True):
        execute_chunk(chunk_id, load=lambda settings: FakeEngine(lambda question: mild(question.text)))
    run.refresh_from_db()
    return run


def mild(text):
    first, second = (text.split(f"Summary {label}: Summary ")[1][0] for label in "AB")
    noise = sum(text.encode()) % 17 / 17 - 0.5
    return min(max(0.5 + 0.04 * (ord(second) - ord(first)) + 0.25 * noise, 0.01), 0.99)


def test_lower_bounds_ask_more_and_end_nearer_to_all_answers(capsys):
    run = judged(scored_dataset())

    report = printed_json(capsys, "stopping", run.pk)

    asked = [row["asked"] for row in report["bounds"]]
    assert [row["bound"] for row in report["bounds"]] == [0.1, 0.05, 0.02]
    assert 8 / 56 <= asked[0] < asked[1] < asked[2] < 1
    assert all(row["expected"]["value"] <= row["bound"] for row in report["bounds"])
    for row in report["bounds"]:
        assert row["spearman"]["value"] - report["spearman"]["value"] == pytest.approx(row["difference"]["value"])
        assert row["comparisons"] == pytest.approx(row["asked"] * 56)


def test_run_that_stopped_when_sure_says_what_it_saved(capsys):
    dataset = scored_dataset()
    run = judged(dataset, rule="until-sure", bound=0.1, seed=3)

    report = printed_json(capsys, "stopping", run.pk)

    stopped = report["stopped"]
    assert (report["bounds"], stopped["bound"], stopped["contexts"]) == ([], 0.1, 4)
    assert (stopped["comparisons"], stopped["possible"]) == (run.comparisons.count(), 4 * 56)
    assert stopped["stopped_early"] == 4
    assert stopped["expected"]["value"] <= 0.1
    assert "Stopping when sure saved" in printed(capsys, "stopping", run.pk)
    of_another = printed(capsys, "stopping", judged(dataset).pk)
    assert "With a bound of 0.05, this judge could have stopped after" in of_another


def test_replay_with_the_seed_of_a_live_run_asks_as_much(capsys):
    dataset = scored_dataset()
    live, whole = judged(dataset, rule="until-sure", bound=0.05, seed=3), judged(dataset)

    [row] = printed_json(capsys, "stopping", whole.pk, "--bound", 0.05, "--draws", 1, "--seed", 3)["bounds"]

    assert row["asked"] == live.comparisons.count() / whole.comparisons.count()


def test_without_people_the_savings_remain(capsys):
    run = judged(make_dataset(candidates=(8, 8)))

    report = printed_json(capsys, "stopping", run.pk)

    assert report["spearman"]["value"] is None
    assert all(row["difference"]["value"] is None and row["asked"] < 1 for row in report["bounds"])


def test_impossible_replays_are_refused(capsys):
    dataset = make_study(one_context(3, 2, 1))
    metric = scored(dataset, "context,attribute,candidate,score\nc0,overall,a,1\n")
    unasked = make_run(dataset)

    assert refused(capsys, "stopping", metric.pk) == [
        f"run: {metric.pk} gives scores; it asks no pairs that could be left out"
    ]
    assert refused(capsys, "stopping", unasked.pk) == [f"run: {unasked.pk} has no answer yet"]
    assert refused(capsys, "stopping", unasked.pk, "--bound", 0.5, "--draws", 0) == [
        "bound: 0.5 — give a number above 0 and below 0.5",
        "draws: 0 — give a whole number from 1 to 50",
    ]


@pytest.mark.usefixtures("researcher")
def test_page_replays_to_the_bounds_of_its_form(client):
    dataset = scored_dataset()
    address = reverse("run-stopping", args=[judged(dataset).pk])

    chosen = client.get(address, {"bound": "0.2, 0.03", "draws": "1", "seed": "4", "without_system": "system-h"})

    report = chosen.context["report"]
    assert ([row.bound for row in report.bounds], report.draws, report.seed) == ([0.2, 0.03], 1, 4)
    assert report.comparisons == 4 * 7 * 6
    assert "bound: 0.9 — give a number above 0 and below 0.5" in client.get(address, {"bound": "0.9"}).content.decode()
