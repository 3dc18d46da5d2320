"""The effort of a campaign before it exists."""

import pytest

from evenhand.refusals import Refused
from judging.services.campaign_pairs.campaign_selection import PAIR_RULES, UNSURE
from judging.services.campaigns.progress.labelling_effort import (
    LabellingEffort,
    UsualTime,
    labelling_effort,
    usual_time,
)
from tests.campaigns import make_annotator, make_campaign, make_ready_campaign
from tests.factories import answer_run, make_dataset, make_run
from tests.judging.stored_votes import store_votes

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("selection", PAIR_RULES)
def test_pairs_are_those_that_the_campaign_gets(selection):
    dataset = make_dataset(candidates=(4, 3, 5))
    run = answer_run(make_run(dataset))
    numbers = {"pairs_per_context": None if selection == "all" else 2, "random_share": 0.3, "contexts": 2}
    settings = {"selection": selection, "runs": [run] if selection == UNSURE else [], **numbers}

    effort = labelling_effort(dataset, settings | {"attributes": [dataset.attributes.get()], "votes_per_pair": 2})

    campaign = make_campaign(dataset, **settings, votes_per_pair=2)
    assert effort.pairs == (campaign.pairs_planned or campaign.pairs.count())


def test_sum_names_votes_shares_and_hours():
    effort = LabellingEffort(pairs=80, attributes=1, votes_per_pair=2, people=3, time=UsualTime(90.0))

    assert str(effort) == "80 pairs × 2 votes = 160 votes; about 53 each for 3 people; 1 h 19 min at 90 s a vote"


def test_effort_says_how_many_who_guess_the_checks_will_flag():
    effort = LabellingEffort(pairs=200, attributes=1, votes_per_pair=2, people=2, time=UsualTime(90.0))

    assert effort.checks.startswith("Of 100 people who guess, gold pairs flag 75, repeats ")


def test_sum_with_several_attributes_multiplies_by_them():
    effort = LabellingEffort(pairs=10, attributes=2, votes_per_pair=3, people=3, time=UsualTime(60.0))

    assert str(effort).startswith("10 pairs × 2 attributes × 3 votes = 60 votes; about 20 each for 3 people; 20 min")


def test_sum_without_people_is_the_time_of_all_votes():
    effort = LabellingEffort(pairs=1, attributes=1, votes_per_pair=1, people=0, time=UsualTime(30.0))

    assert str(effort) == "1 pair × 1 vote = 1 vote; 30 s at 30 s a vote"


def test_too_few_people_get_each_pair_once():
    effort = LabellingEffort(pairs=10, attributes=1, votes_per_pair=3, people=2, time=UsualTime(90.0))

    assert (effort.votes_each, effort.is_short_of_people) == (10, True)


def test_time_is_that_of_the_shown_seconds():
    effort = LabellingEffort(pairs=1080, attributes=1, votes_per_pair=1, people=0, time=UsualTime(2.4))

    assert str(effort) == "1,080 pairs × 1 vote = 1,080 votes; 43 min 12 s at 2.4 s a vote"


@pytest.fixture
def timed(dataset_of_40_pairs):
    """Return a function that gives one vote for each time in seconds, and returns the usual time then."""

    def give(*seconds):
        ann = make_annotator("ann")
        campaign = make_ready_campaign(ann, dataset=dataset_of_40_pairs, votes_per_pair=1)
        store_votes(campaign, ann, seconds)
        return usual_time(dataset_of_40_pairs, campaign)

    return give


@pytest.fixture
def dataset_of_40_pairs():
    return make_dataset(candidates=(2,) * 40)


@pytest.mark.parametrize(
    ("seconds", "usual"),
    [
        ((), UsualTime(90.0, "No vote on this dataset has a time: 90 s are assumed.")),
        ((None, 20), UsualTime(90.0, "Only 1 vote on this dataset has a time: 90 s are assumed.")),
        ((20,) * 29, UsualTime(90.0, "Only 29 votes on this dataset have a time: 90 s are assumed.")),
        ((1.24,) * 30, UsualTime(90.0, "The median of 30 votes on this dataset is under 2 s: 90 s are assumed.")),
        ((2.44,) * 30, UsualTime(2.4, "Time: median of 30 votes on this dataset.")),
        ((4,) * 15 + (26.8,) * 16, UsualTime(27, "Time: median of 31 votes on this dataset.")),
    ],
)
def test_time_of_a_vote_is_the_median_of_enough_votes_that_were_not_quick(timed, seconds, usual):
    make_dataset("other")

    assert timed(*seconds) == usual


def test_impossible_choice_of_pairs_is_refused():
    dataset = make_dataset()

    settings = {"selection": "adaptive", "attributes": [dataset.attributes.get()], "votes_per_pair": 1}
    with pytest.raises(Refused, match="the selection adaptive needs a number"):
        labelling_effort(dataset, settings)
