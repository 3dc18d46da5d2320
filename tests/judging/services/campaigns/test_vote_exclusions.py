"""Exclusions: their places are given to others. Votes and ratings come back with the last one that covers them."""

import pytest

from evenhand.refusals import Refused
from judging.models import Assignment, Campaign, HumanScore, Vote
from judging.services.campaigns.next_pair import next_pair
from judging.services.campaigns.progress.campaign_progress import annotator_progress, campaign_progress
from judging.services.campaigns.progress.campaign_report import attribute_progress
from judging.services.campaigns.progress.labelling_pace import labelling_pace
from judging.services.campaigns.skips_and_undo import reopen_pair, skip_pair
from judging.services.campaigns.vote_exclusions import exclude_rater, restore_votes
from judging.services.invitations.completion import finished_people
from rankings.quality.quality_report import quality_report
from tests.campaigns import make_annotator, make_ready_campaign, rate, small_campaign, vote, wrong_places
from tests.factories import make_dataset

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("forget_reports")]


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


@pytest.mark.parametrize("is_wide_first", [False, True])
def test_an_answer_under_two_exclusions_comes_back_with_the_second_one(ann, answers, is_wide_first):
    dataset, campaign = answers["one"].attribute.dataset, answers["one"].assignment.campaign
    excludes = [
        lambda: exclude_rater(dataset, rater=ann.rater_name, reason="ill that day", campaign=campaign),
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


def test_a_reason_that_holds_for_one_campaign_is_shown_once_it_leaves_out_every_vote(ann, answers):
    attribute, campaigns = answers["one"].attribute, list(Campaign.objects.filter(kind="pairs").order_by("pk"))
    exclude_rater(attribute.dataset, campaigns[0], rater=ann.rater_name, reason="ill that day")
    assert reasons(attribute, ann) == {None}

    exclude_rater(attribute.dataset, campaigns[1], rater=ann.rater_name, reason="too quick")
    assert reasons(attribute, ann) == {"ill that day; too quick"}


@pytest.fixture
def full(ann):
    """A campaign on two pairs with one vote each, which Ann has given. Ben takes part too."""
    campaign = make_ready_campaign(
        ann, make_annotator("ben"), dataset=make_dataset(candidates=(2, 2)), name="full", votes_per_pair=1
    )
    vote(campaign, ann)
    vote(campaign, ann)
    return campaign


def counts(campaign):
    """Return the votes that count on the dashboard, in lists, by attribute and person, and what is left."""
    progress, [attribute] = campaign_progress(campaign), attribute_progress(campaign)
    listed = Campaign.objects.with_progress().get(pk=campaign.pk)
    by_person = sum(person.votes for person in annotator_progress(campaign))
    return (
        *(progress.done, progress.complete, listed.votes_done, attribute.done, attribute.complete, by_person),
        labelling_pace(campaign, progress).undefined,
    )


def exclude_ann(campaign, ann, **fields):
    return exclude_rater(campaign.dataset, campaign, rater=ann.rater_name, reason="too quick", **fields)


def test_the_places_of_excluded_votes_are_given_to_others(full, ann):
    ben = full.participations.exclude(annotator=ann).get().annotator
    before, nothing = counts(full), next_pair(full, annotator=ben)

    exclude_ann(full, ann)

    assert before == (2, 2, 2, 2, 2, 2, "every vote is in")
    assert nothing is None
    assert counts(full) == (0, 0, 0, 0, 0, 0, "nobody has voted yet")
    assert wrong_places(full) == []
    assert {vote(full, ben).assignment.pair_id for _ in range(2)} == {pair.pk for pair in full.pairs.all()}
    assert next_pair(full, annotator=ben) is None
    assert counts(full)[:2] == (2, 2)


def test_a_restored_vote_takes_its_place_again_or_is_one_more_than_the_pair_needs(full, ann):
    ben = full.participations.exclude(annotator=ann).get().annotator
    exclusion = exclude_ann(full, ann)
    vote(full, ben)

    assert restore_votes(exclusion) == 2

    assert counts(full) == (3, 2, 3, 3, 2, 3, "every vote is in")
    assert wrong_places(full) == []
    assert next_pair(full, annotator=ben) is None
    skip_pair(Assignment.objects.get(annotator=ben), reason="other")
    assert wrong_places(full) == []
    assert counts(full)[:2] == (2, 2)


def test_votes_over_the_wanted_number_hide_no_pair_that_lacks_one(full, ann):
    ben = full.participations.exclude(annotator=ann).get().annotator
    exclusion = exclude_ann(full, ann)
    surplus = vote(full, ben).assignment.pair
    restore_votes(exclusion)
    skip_pair(Assignment.objects.exclude(pair=surplus).get(annotator=ann), reason="other")

    assert campaign_progress(full).done == campaign_progress(full).planned == 2
    assert labelling_pace(full, campaign_progress(full)).undefined != "every vote is in"


def test_an_excluded_person_who_goes_on_still_votes_without_taking_places(full, ann):
    exclude_ann(full, ann, goes_on=True)
    one = Assignment.objects.filter(annotator=ann).first()

    reopen_pair(one)
    while_open = wrong_places(full), full.pairs.get(pk=one.pair_id).places
    again = vote(full, ann)

    assert while_open == ([], 0)
    assert (again.assignment, Vote.objects.get(pk=again.pk).excluded) == (one, True)
    assert wrong_places(full) == []
    assert campaign_progress(full).done == 0


@pytest.mark.parametrize("goes_on", [False, True])
def test_an_excluded_person_has_no_pair_left_unless_they_go_on(ann, goes_on):
    campaign = small_campaign(pairs=3, annotators=[ann, make_annotator("ben")])
    vote(campaign, ann)

    exclusion = exclude_ann(campaign, ann, goes_on=goes_on)

    left = Campaign.objects.with_own_progress(ann).get().own_progress.left
    assert (left, finished_people(campaign)) == ((2, set()) if goes_on else (0, {ann.pk}))
    restore_votes(exclusion)
    assert (Campaign.objects.with_own_progress(ann).get().own_progress.left, finished_people(campaign)) == (2, set())


def test_a_second_exclusion_is_refused_and_changes_nothing(full, ann):
    exclude_ann(full, ann)
    before = counts(full)

    with pytest.raises(Refused, match="is excluded already: too quick"):
        exclude_ann(full, ann)

    assert counts(full) == before
    assert wrong_places(full) == []


def test_a_vote_under_two_exclusions_keeps_no_place_after_one_is_taken_back(full, ann):
    narrow = exclude_ann(full, ann)
    exclude_rater(full.dataset, rater=ann.rater_name, reason="guessed")

    restore_votes(narrow)

    assert campaign_progress(full).done == 0
    assert wrong_places(full) == []
