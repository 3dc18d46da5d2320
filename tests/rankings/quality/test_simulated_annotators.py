"""Simulated annotators in a campaign: the quality figures find them, and excluding them moves the report."""

from datetime import timedelta

import numpy as np
import pytest
from django.utils import timezone

from judging.models import Assignment, Campaign, CampaignPair, Comparison, Vote
from tests.campaigns import make_annotator, make_campaign
from tests.commands import printed, printed_json
from tests.factories import answer_run, make_dataset, make_run
from tests.rankings.report.report_figures import quality_json

pytestmark = pytest.mark.django_db

CAREFUL = ("careful-1", "careful-2", "careful-3")
FLAG_OF = {"one-sided": "one-side", "random": "no-agreement", "drifting": "drift", "copying": "copied"}
PAIRS, GOLD = 160, 40
JUDGE_ACCURACY, CARE = 0.8, 0.92


@pytest.fixture(scope="module")
def names(rows_of_module):
    """A campaign in which the earlier candidate is better, with gold pairs. Name of a person -> their pseudonym."""
    campaign = make_campaign(make_dataset(candidates=(2,) * (PAIRS + GOLD)), votes_per_pair=9)
    campaign.pairs.filter(one__context__position__gte=PAIRS).update(purpose="gold", gold_answer="one", places=0)
    rng = np.random.default_rng(20)
    pairs = list(campaign.pairs.select_related("one__context", "other").order_by("one__context__position"))
    rows = simulated_choices(rng, len(pairs))
    return {name: store_votes(campaign, name, pairs, *rows[name]) for name in rows}


def simulated_choices(rng, n):
    """Name -> for each pair, True if the person prefers the better candidate, and True if it is shown second."""
    right = {name: rng.random(n) < CARE for name in CAREFUL}
    swapped = {name: rng.random(n) < 0.5 for name in (*CAREFUL, *FLAG_OF)}
    guesses = rng.random(n) < 0.5
    right["one-sided"] = np.where(rng.random(n) < 0.9, ~swapped["one-sided"], guesses)
    right["random"] = rng.random(n) < 0.5
    right["drifting"] = np.where(np.arange(n) < PAIRS / 2, rng.random(n) < 0.95, guesses)
    right["copying"] = right[CAREFUL[0]] ^ (rng.random(n) < 0.01)
    return {name: (right[name], swapped[name]) for name in swapped}


def store_votes(campaign: Campaign, name: str, pairs: list[CampaignPair], right, swapped) -> str:
    """Store a person's votes, a minute each, and return the pseudonym."""
    person, now = make_annotator(name), timezone.now()
    shown = Assignment.objects.bulk_create(
        Assignment(
            campaign=campaign,
            pair=pair,
            annotator=person,
            purpose=pair.purpose,
            swapped=bool(is_swapped),
            status="voted",
            held_until=now,
            answered_at=now,
        )
        for pair, is_swapped in zip(pairs, swapped, strict=True)
    )
    Vote.objects.bulk_create(
        Vote(
            context=one.pair.one.context,
            attribute=campaign.attributes.get(),
            first=one.first,
            second=one.second,
            choice="second" if is_right == one.swapped else "first",
            rater=person.rater_name,
            user=person,
            assignment=one,
            purpose=one.purpose,
            seconds=30.0,
            voted_at=now + timedelta(minutes=minute),
        )
        for minute, (one, is_right) in enumerate(zip(shown, right, strict=True))
    )
    return person.rater_name


def flags_of(capsys):
    """Return person -> flags, and person -> gold accuracy."""
    [report] = quality_json("Summaries")
    return {row["rater"]: row["flags"] for row in report["raters"]}, {
        row["rater"]: row["gold_accuracy"]["value"] for row in report["raters"]
    }


def judged_run():
    """A run whose judge is right on four of five pairs."""
    run = answer_run(make_run(Campaign.objects.get().dataset))
    for one in Comparison.objects.filter(run=run).select_related("context", "first"):
        is_right = one.context.position % 5 > 0
        one.p_first = 0.9 if is_right == (one.first.key == "a") else 0.1
        one.save()
    return run


def report_of(capsys, run):
    [row] = printed_json(capsys, "report", "--dataset", "Summaries", "--run", run.pk)["rows"]
    return row


def test_quality_figures_find_each_kind_of_annotator_and_no_careful_one(names, capsys):
    flags, _ = flags_of(capsys)

    assert {name: FLAG_OF[name] in flags[names[name]] for name in FLAG_OF} == dict.fromkeys(FLAG_OF, True)
    assert {name: flags[names[name]] for name in CAREFUL[1:]} == {name: [] for name in CAREFUL[1:]}
    assert set(flags[names[CAREFUL[0]]]) <= {"copied"}  # the one who was copied


def test_gold_accuracy_tells_who_guesses_from_who_reads(names, capsys):
    flags, gold = flags_of(capsys)

    guessing = {names[name] for name in ("one-sided", "random", "drifting")}
    assert {rater for rater, raised in flags.items() if "gold" in raised} == guessing
    assert max(gold[rater] for rater in guessing) < 0.8 < min(gold[names[name]] for name in CAREFUL)


def test_excluding_who_stands_out_moves_the_report_to_that_of_the_careful(names, capsys):
    run = judged_run()
    before = report_of(capsys, run)

    for name in FLAG_OF:
        options = ("--rater", names[name], "--reason", "flagged")
        printed(capsys, "exclude_votes", "--dataset", "Summaries", *options)
    after = report_of(capsys, run)

    Vote.objects.exclude(rater__in=[names[name] for name in CAREFUL]).delete()
    careful = report_of(capsys, run)
    assert {name: after[name] for name in ("accuracy", "human", "accuracy_per_vote")} == {
        name: careful[name] for name in ("accuracy", "human", "accuracy_per_vote")
    }
    assert before["human"]["value"] < 0.8 < 0.9 < after["human"]["value"]
    assert abs(after["accuracy"]["value"] - JUDGE_ACCURACY) < 0.02
    expected = JUDGE_ACCURACY * CARE + (1 - JUDGE_ACCURACY) * (1 - CARE)
    assert after["accuracy_per_vote"]["value"] == pytest.approx(expected, abs=0.02)
    assert before["accuracy_per_vote"]["value"] < expected - 0.05
    assert len(after["excluded_votes"]["raters"]) == len(FLAG_OF)
