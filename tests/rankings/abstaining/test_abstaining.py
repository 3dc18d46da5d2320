"""Abstaining, by the command, the page and the API."""

import json
import re

import numpy as np
import pytest
from django.urls import reverse

from judging.models import Campaign, Comparison
from judging.services.datasets.dataset_changes import split_dataset
from rankings.abstaining.abstaining_report import abstaining_of
from rankings.juries.stored_juries import make_jury
from tests.commands import printed, printed_json, refused
from tests.rankings.abstaining.undecided_pairs import run_with_undecided_pairs
from tests.rankings.agreement.panels import judged, voted_dataset
from tests.rankings.studies import answers, compared, make_dataset, one_context, scored

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def undecided(rows_of_module):
    return run_with_undecided_pairs()


@pytest.fixture(scope="module")
def careful(rows_of_module):
    """A run on twenty contexts."""
    return judged(voted_dataset(name="Twenty"), "careful")


def test_report_gives_accuracy_against_coverage_by_each_measure(capsys):
    run = judged(voted_dataset(contexts=100), "hasty")

    report = printed_json(capsys, "abstain", run.pk)

    by = {one["by"]: one for one in report["measures"]}
    assert [row["coverage"] for row in by["probability"]["coverages"]] == pytest.approx(np.arange(1, 11) / 10)
    accuracies = [row["accuracy"]["value"] for row in by["probability"]["coverages"]]
    assert accuracies[0] > accuracies[-1]
    assert by["orders"]["comparisons"] == 600
    assert by["members"]["undefined"] == "the run is no jury"


def test_members_of_a_jury_are_a_measure():
    dataset = voted_dataset(contexts=60)
    jury = make_jury(name="panel", run=[judged(dataset, "careful"), judged(dataset, "hasty")], by="mean").run

    report = abstaining_of(jury, by="members", alpha=0.2)

    members = report.measures[2]
    assert (members.by, members.undefined, members.comparisons) == ("members", None, 360)
    assert members.coverages[2].accuracy.value > members.coverages[-1].accuracy.value


def test_threshold_names_the_pairs_in_doubt_least_sure_first(undecided, capsys):
    threshold = printed_json(capsys, "abstain", undecided.pk, "--alpha", "0.1")["threshold"]

    assert threshold["error"]["value"] <= 0.1
    sureness = [pair["sureness"] for pair in threshold["doubtful_pairs"]]
    assert sureness == sorted(sureness)
    assert max(sureness) < threshold["threshold"]
    surest = {
        (one.context.key, frozenset((one.first.key, one.second.key)))
        for one in Comparison.objects.filter(run=undecided).select_related("context", "first", "second")
        if abs(one.p_first - 0.5) < threshold["threshold"]
    }
    assert {(one["context"], frozenset((one["first"], one["second"]))) for one in threshold["doubtful_pairs"]} == surest


def test_command_prints_the_threshold_and_makes_a_campaign_of_undecided_pairs(undecided, capsys):
    shown = printed(capsys, "abstain", undecided.pk, "--alpha", "0.1", "--campaign", "In doubt")

    assert "answers" in shown
    assert "people have no preference yet" in shown
    campaign = Campaign.objects.get(name="In doubt")
    unasked = [
        pair for pair in abstaining_of(undecided, alpha=0.1).threshold.doubtful_pairs if not pair.preferred_by_people
    ]
    asked = [(pair.one.context.key, pair.one.key, pair.other.key) for pair in campaign.pairs.order_by("position")]
    assert asked == [(pair.context, pair.first, pair.second) for pair in unasked]
    assert campaign.pair_choice["rule"] == "given"
    assert campaign.pair_choice["runs"] == [undecided.pk]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--alpha", "0"], "alpha: 0 — give a number above 0 and below 1"),
        (["--confidence", "1"], "confidence: 1 — give a number of at least 0.5 and below 1"),
    ],
)
def test_impossible_guarantees_are_refused(careful, capsys, options, reason):
    assert reason in refused(capsys, "abstain", careful.pk, *options)[0]


def test_too_few_contexts_are_no_error_but_a_reason(capsys):
    run = judged(voted_dataset(contexts=10), "careful")

    threshold = printed_json(capsys, "abstain", run.pk)["threshold"]

    assert threshold["threshold"] is None
    assert "10 contexts with a human preference are too few" in threshold["answered"]["undefined"]
    assert threshold["contexts_needed"] == 40


def test_campaign_needs_a_threshold_and_an_undecided_pair(capsys):
    few = judged(voted_dataset(contexts=10, name="Few"), "careful")
    decided = judged(voted_dataset(contexts=100), "steady")

    assert "too few" in refused(capsys, "abstain", few.pk, "--campaign", "In doubt")[0]
    problems = refused(capsys, "abstain", decided.pk, "--alpha", "0.1", "--campaign", "In doubt")
    assert "people already prefer" in problems[0]
    assert not Campaign.objects.exists()


def test_threshold_chosen_on_development_is_reported_on_test(capsys):
    dataset = split_dataset(voted_dataset(contexts=200), seed=7)
    run = judged(dataset, "steady")

    threshold = printed_json(capsys, "abstain", run.pk, "--choose-on", "development")["threshold"]

    assert threshold["chosen_on"] == "development"
    assert [(one.run, one.figures) for one in dataset.looks.all()] == [(run.pk, "abstaining")]
    assert threshold["ordering_contexts"] + threshold["testing_contexts"] == 100
    surest = Comparison.objects.filter(run=run, context__fields__part="test").select_related("first", "second")
    answered = [one for one in surest if abs(one.p_first - 0.5) >= threshold["threshold"]]
    wrong = sum((one.p_first > 0.5) != (one.first.key < one.second.key) for one in answered)
    assert threshold["test_answered"]["value"] == pytest.approx(len(answered) / 600)
    assert threshold["test_error"]["value"] == pytest.approx(wrong / len(answered))
    assert "On the test part," in printed(capsys, "abstain", run.pk, "--choose-on", "development")


def test_choosing_on_a_part_needs_a_split(careful, capsys):
    assert "is not split; split it first" in refused(capsys, "abstain", careful.pk, "--choose-on", "development")[0]


def test_scores_have_no_sureness(capsys):
    dataset = make_dataset(one_context(3, 2))
    compared(dataset, answers("a b 0.9"))
    run = scored(dataset, "context,attribute,candidate,score\nc0,overall,a,3\n")

    assert "gives scores" in refused(capsys, "abstain", run.pk)[0]


@pytest.mark.usefixtures("researcher")
def test_page_shows_the_threshold_and_one_click_makes_the_campaign(undecided, client):
    address = reverse("run-abstaining", args=[undecided.pk])

    page = client.get(address, {"alpha": "0.1"}).content.decode()
    answer = client.post(reverse("run-doubtful-campaign", args=[undecided.pk]), {"alpha": "0.1"})

    campaign = Campaign.objects.get()
    assert f"Ask people about {campaign.pairs.count()} pair" in page
    assert "with at most 10.0" in page
    assert answer.url == campaign.get_absolute_url()
    assert campaign.name == f"Doubtful pairs of run {undecided.pk}"
    again = client.post(reverse("run-doubtful-campaign", args=[undecided.pk]), {"alpha": "0.1"}, follow=True)
    assert "choose another name" in again.content.decode()


@pytest.mark.usefixtures("researcher")
def test_api_gives_the_report_of_the_command_and_makes_the_campaign(undecided, client, capsys):
    address = f"/api/runs/{undecided.pk}/abstaining/"

    report = client.get(address, {"alpha": "0.1"}).json()
    made = client.post(address, {"alpha": 0.1, "name": "In doubt"}, content_type="application/json")

    assert report == printed_json(capsys, "abstain", undecided.pk, "--alpha", "0.1")
    assert made.status_code == 201
    assert made.json()["pairs"] == Campaign.objects.get(name="In doubt").pairs.count()
    assert client.post(address, {"alpha": 5}, content_type="application/json").status_code == 400


@pytest.mark.usefixtures("researcher")
def test_run_that_never_abstains_says_so_and_what_its_confidence_leaves_open(client):
    run = judged(voted_dataset(contexts=120), "careful")
    threshold = abstaining_of(run, alpha=0.4).threshold

    page = client.get(reverse("run-abstaining", args=[run.pk]), {"alpha": "0.4"}).content.decode()

    assert (threshold.answered.value, threshold.doubtful_pairs) == (1, [])
    wrong = f"{100 * threshold.error.value:.1f}\u202f%"
    assert (
        f'<p class="lede">careful never needs to abstain: at most 40\u202f% errors hold on all comparisons '
        f"(95\u202f% confidence; {wrong} on the testing contexts). "
        f"Up to 5\u202f% of all datasets like this one get a threshold with more errors. "
        f"Of those that get one at all, it may be a larger share.</p>"
    ) in page
    assert "in doubt" not in page
    chart = json.loads(re.search(r'<script id="chart-coverage" type="application/json">(.*?)</script>', page)[1])
    assert chart["layout"]["yaxis"]["range"][1] == 1
