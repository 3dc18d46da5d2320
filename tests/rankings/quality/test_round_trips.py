"""Votes that leave as a file and come back: every figure of quality and of agreement stays, and every reason."""

import json
from datetime import timedelta

import numpy as np
import pytest
from django.db.models import F
from django.urls import reverse
from django.utils import timezone

from evenhand.formats.recorded.known_pairs import KnownPair
from judging.models import Attribute, Campaign, Vote
from judging.services.campaign_pairs.gold_pairs import add_gold_pairs
from judging.services.campaigns.next_pair import next_pair
from judging.services.campaigns.vote_exclusions import exclude_rater
from tests.campaigns import answer, make_annotator, small_campaign
from tests.commands import printed, printed_json
from tests.factories import make_user
from tests.rankings.report.report_figures import quality_json

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]

CARELESS = "cem"
ERRORS = {"ann": 0.05, "ben": 0.2, CARELESS: 0.5}


@pytest.fixture(scope="module")
def voted(rows_of_module):
    """Three people vote on 24 pairs with gold pairs and repeats, and sometimes cannot judge. One is excluded."""
    people = [make_annotator(name) for name in ERRORS]
    checks = {"gold_share": 0.3, "repeat_share": 0.2}
    campaign = small_campaign(pairs=30, annotators=people, votes_per_pair=3, allow_cannot_judge=True, **checks)
    add_gold_pairs(campaign, [KnownPair(f"c{number}", "a", "b", "first") for number in range(6)])
    rng = np.random.default_rng(3)
    for person in people:
        while assignment := next_pair(campaign, annotator=person, rng=rng):
            is_first = assignment.swapped == (rng.random() < ERRORS[person.username])
            choice = "cannot-judge" if rng.random() < 0.05 else "first" if is_first else "second"
            answer(assignment, choice, milliseconds=int(rng.integers(500, 9_000)))
    votes = list(Vote.objects.all())
    for number, one in enumerate(votes):
        one.voted_at = timezone.now() - timedelta(minutes=len(votes) - number)
    Vote.objects.bulk_update(votes, ["voted_at"])
    exclude_rater(campaign.dataset, campaign, rater=people[-1].rater_name, reason="At random.")
    return campaign


@pytest.fixture
def campaign(voted):
    return Campaign.objects.get(pk=voted.pk)


def figures_of(capsys, dataset):
    """Quality and agreement, without the name of the dataset."""
    Attribute.objects.update(vote_changes=F("vote_changes") + 1)
    reports = [quality_json(dataset), printed_json(capsys, "agreement", "--dataset", dataset)]
    return json.loads(json.dumps(reports).replace(f'"{dataset}"', '"it"'))


@pytest.mark.parametrize("way", ["download", "dataset"])
def test_a_round_trip_keeps_figures_flags_and_reasons(campaign, client, capsys, tmp_path, way):
    name, file = campaign.dataset.name, tmp_path / "file.jsonl"
    before = figures_of(capsys, name)
    flags = {row["rater"]: row["flags"] for row in before[0][0]["raters"]}

    if way == "dataset":
        printed(capsys, "export_dataset", name, "--output", file)
        printed(capsys, "import_dataset", file, "--name", "Copy")
        after = figures_of(capsys, "Copy")
    else:
        client.force_login(make_user("rita", "researcher"))
        votes = tmp_path / "votes.csv"
        votes.write_bytes(client.get(reverse("campaign-download", args=[campaign.pk])).getvalue())
        campaign.dataset.vote_exclusions.all().delete()
        campaign.delete()
        Vote.objects.all().delete()
        printed(capsys, "import_votes", votes, "--dataset", name)
        after = figures_of(capsys, name)

    assert after == before
    assert any(flags.values())
    assert str(before).count("At random.") >= 2
