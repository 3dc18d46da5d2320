"""Exclusions that overlap: votes and ratings come back with the last exclusion that covers them."""

import pytest

from judging.models import HumanScore, Vote
from judging.services.campaigns.vote_exclusions import exclude_rater, exclude_vote, restore_votes
from rankings.quality.quality_report import quality_report
from tests.campaigns import make_annotator, make_ready_campaign, rate, vote
from tests.factories import make_dataset

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]


@pytest.fixture
def ann():
    return make_annotator("ann")


@pytest.fixture
def answers(ann):
    """Name -> an answer: two votes and a rating of Ann in a campaign each, and Ben's vote, which nobody excludes."""
    dataset, ben = make_dataset(), make_annotator("ben")
    one, other = (make_ready_campaign(ann, ben, dataset=dataset, name=name) for name in ("one", "other"))
    ratings = make_ready_campaign(ann, dataset=dataset, name="ratings", kind="ratings")
    return {"one": vote(one, ann), "other": vote(other, ann), "rating": rate(ratings, ann, 3), "ben": vote(one, ben)}


def left_out(answers):
    """Return the names of the answers that figures leave out."""
    for answer in answers.values():
        answer.refresh_from_db()
    return {name for name, answer in answers.items() if answer.excluded}


@pytest.mark.parametrize(
    ("narrow", "is_wide_first"), [("one vote", False), ("one campaign", False), ("one campaign", True)]
)
def test_an_answer_under_two_exclusions_comes_back_with_the_second_one(ann, answers, narrow, is_wide_first):
    dataset, campaign = answers["one"].attribute.dataset, answers["one"].assignment.campaign
    excludes = [
        lambda: (
            exclude_vote(answers["one"], reason="wrong key")
            if narrow == "one vote"
            else exclude_rater(dataset, rater=ann.rater_name, reason="ill that day", campaign=campaign)
        ),
        lambda: exclude_rater(dataset, rater=ann.rater_name, reason="too quick"),
    ]
    covered = [{"one"}, {"one", "other", "rating"}]
    if is_wide_first:
        excludes, covered = excludes[::-1], covered[::-1]
    for restored_first in (0, 1):
        held = [exclude() for exclude in excludes]
        assert left_out(answers) == {"one", "other", "rating"}

        restore_votes(held[restored_first])
        assert left_out(answers) == covered[1 - restored_first]
        restore_votes(held[1 - restored_first])
        assert left_out(answers) == set()


def test_the_reason_is_shown_where_every_vote_was_left_out_before(ann, answers):
    attribute = answers["one"].attribute
    Vote.objects.filter(rater=ann.rater_name).update(excluded=True)
    HumanScore.objects.update(excluded=True)
    assert reasons(attribute, ann) == {None}

    exclusion = exclude_rater(attribute.dataset, rater=ann.rater_name, reason="too quick")
    assert reasons(attribute, ann) == {"too quick"}
    restore_votes(exclusion)
    assert reasons(attribute, ann) == {None}


def reasons(attribute, person):
    return {row.excluded for row in quality_report(attribute).raters if row.rater == person.rater_name}
