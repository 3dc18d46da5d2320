"""Ratings of a campaign in the figures of reports: means, agreement, and what an exclusion moves."""

import numpy as np
import pytest

from judging.models import HumanScore
from judging.services.campaigns.next_pair import next_pair
from judging.services.campaigns.ratings import record_rating
from judging.services.campaigns.vote_exclusions import exclude_rater, restore_votes
from rankings.loading.candidates import candidate_table
from rankings.loading.human_judgments import human_scores, ratings_of
from tests.campaigns import make_annotator, make_ready_campaign
from tests.commands import printed_json
from tests.factories import answer_run, make_dataset, make_run

pytestmark = pytest.mark.django_db

CAREFUL, RANDOM = ("ann", "ben", "cem"), "dan"


@pytest.fixture(scope="module")
def campaign(rows_of_module):
    """Three careful raters, who err by one at most, and one who rates at random."""
    people = [make_annotator(name) for name in (*CAREFUL, RANDOM)]
    dataset = make_dataset(candidates=(5,) * 6)
    campaign = make_ready_campaign(*people, dataset=dataset, kind="ratings", votes_per_pair=4)
    rng = np.random.default_rng(0)
    for person in people:
        while assignment := next_pair(campaign, annotator=person):
            noise = 0 if person.username == RANDOM else assignment.first.position + rng.integers(-1, 2)
            rating = rng.integers(1, 6) if person.username == RANDOM else np.clip(noise + 1, 1, 5)
            record_rating(assignment, rating=int(rating), shown=assignment.first_name)
    return campaign


def alpha(capsys):
    [row] = printed_json(capsys, "agreement", "--dataset", "Summaries")["attributes"]
    return row["ratings"]["krippendorff_alpha_ordinal"]["value"]


def test_human_scores_are_the_means_of_the_ratings(campaign):
    attribute = campaign.dataset.attributes.get()
    table = candidate_table(campaign.dataset)

    means = human_scores(table, attribute)

    assert ratings_of(table, attribute).shape == (4, 30)
    assert means == pytest.approx(ratings_of(table, attribute).mean(axis=0))


def test_excluding_a_random_rater_raises_alpha_and_is_stated_in_the_report(capsys, campaign):
    answer_run(make_run(campaign.dataset))
    random = next(name for name in raters(campaign, RANDOM))
    before = alpha(capsys)

    exclusion = exclude_rater(campaign.dataset, rater=random, reason="rated at random")
    after = alpha(capsys)

    assert after > before + 0.2
    assert after > 0.75
    [row] = printed_json(capsys, "report", "--dataset", "Summaries")["rows"][:1]
    assert row["excluded_votes"] == {
        "votes": 0,
        "ratings": 30,
        "raters": [{"rater": random, "votes": 0, "ratings": 30, "reason": "rated at random"}],
    }
    assert restore_votes(exclusion) == 30
    assert alpha(capsys) == before


def test_later_ratings_of_an_excluded_person_are_excluded_too(campaign):
    ann = raters(campaign, "ann")[0]
    HumanScore.objects.filter(rater=ann).first().delete()
    exclude_rater(campaign.dataset, rater=ann, reason="left the study")

    assert not HumanScore.objects.filter(rater=ann, excluded=False).exists()


def raters(campaign, name):
    return [person.rater_name for person in campaign.annotators.filter(username=name)]
