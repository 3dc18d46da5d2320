"""The answers that a campaign allows."""

import pytest

from evenhand.refusals import Refused
from judging.models import Campaign, Vote
from judging.services.campaigns.answer_rules import VoteDetails, revise_rules
from judging.services.campaigns.campaign_history import history_rows
from judging.services.campaigns.next_pair import next_pair
from judging.services.campaigns.progress.campaign_progress import agreement_so_far, campaign_progress
from judging.services.campaigns.votes import change_vote, record_vote
from judging.services.datasets.vote_records import load_votes
from tests.campaigns import answer, make_annotator, make_campaign, make_ready_campaign, shown_in, small_campaign, vote

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("choice", "rule"),
    [("tie", "allow_ties"), ("both-bad", "allow_both_bad"), ("cannot-judge", "allow_cannot_judge")],
)
def test_a_choice_is_taken_only_where_the_campaign_allows_it(choice, rule):
    ann = make_annotator("ann")
    shown = next_pair(small_campaign(annotators=[ann], **{rule: False}), annotator=ann)

    with pytest.raises(Refused, match="skip the pair"):
        answer(shown, choice)
    Campaign.objects.update(**{rule: True})
    answer(shown, choice)

    assert [one.choice for one in Vote.objects.all()] == [choice]


def test_undecided_votes_fill_their_pair_are_counted_and_in_no_figure():
    people = [make_annotator(name) for name in ("ann", "ben", "cleo", "dan")]
    campaign = small_campaign(annotators=people, votes_per_pair=4, allow_both_bad=True, allow_cannot_judge=True)
    for person, choice in zip(people, ("both-bad", "both-bad", "cannot-judge", "tie"), strict=True):
        vote(campaign, person, choice)

    progress = campaign_progress(campaign)

    assert (progress.done, progress.complete, progress.both_bad, progress.cannot_judge) == (4, 1, 2, 1)
    assert agreement_so_far(campaign, attribute=campaign.attributes.get()).compared == 0
    assert Vote.objects.in_figures().count() == 1


def test_strength_confidence_and_comment_are_stored_exported_and_kept_in_the_history():
    ann = make_annotator("ann")
    campaign = make_ready_campaign(ann, strength_levels=3, confidence_levels=5, take_comments=True)
    shown = next_pair(campaign, annotator=ann)

    record_vote(shown, choice="first", shown=shown_in(shown), details=VoteDetails(2, 4, "Clear."))
    change_vote(shown, choice="first", shown=shown_in(shown), details=VoteDetails(3, None, "Clearer."))

    (exported,) = load_votes(campaign.dataset)
    assert (exported.vote.strength, exported.vote.confidence, exported.vote.comment) == (3, None, "Clearer.")
    assert [
        (row["action"], row["strength"], row["confidence"], row["comment"]) for row in history_rows(campaign.dataset)
    ] == [("voted", 2, 4, "Clear."), ("changed", 3, None, "Clearer.")]


def test_the_same_vote_with_other_details_is_not_taken_for_the_stored_one():
    ann = make_annotator("ann")
    shown = next_pair(make_ready_campaign(ann, strength_levels=3), annotator=ann)
    record_vote(shown, choice="first", shown=shown_in(shown), details=VoteDetails(strength=2))

    record_vote(shown, choice="first", shown=shown_in(shown), details=VoteDetails(strength=2))
    with pytest.raises(Refused, match="You already voted on this pair"):
        record_vote(shown, choice="first", shown=shown_in(shown), details=VoteDetails(strength=1))

    assert [one.strength for one in Vote.objects.all()] == [2]


@pytest.mark.parametrize(
    ("details", "problem"),
    [
        (VoteDetails(strength=4), "strength: 4 — choose a whole number from 1 to 3"),
        (VoteDetails(strength=0), "strength: 0 — choose a whole number from 1 to 3"),
        (VoteDetails(confidence=1), "This campaign takes no confidence."),
        (VoteDetails(comment="Hm"), "This campaign takes no comments."),
    ],
)
def test_details_that_the_campaign_does_not_ask_for_are_refused(details, problem):
    ann = make_annotator("ann")
    shown = next_pair(make_ready_campaign(ann, strength_levels=3), annotator=ann)

    with pytest.raises(Refused) as refusal:
        record_vote(shown, choice="first", shown=shown_in(shown), details=details)

    assert refusal.value.problems[0].startswith(problem)
    assert not Vote.objects.exists()


@pytest.mark.parametrize("levels", [1, 11])
def test_a_scale_has_two_to_ten_levels(levels):
    with pytest.raises(Refused, match=f"strength levels: {levels} — give a whole number from 2 to 10, or none"):
        make_campaign(strength_levels=levels)

    campaign = make_campaign(strength_levels=5)
    with pytest.raises(Refused, match="confidence levels"):
        revise_rules(campaign, {"confidence_levels": levels})


def test_allowed_answers_are_fixed_after_the_first_vote():
    ann = make_annotator("ann")
    campaign = make_ready_campaign(ann)
    revise_rules(campaign, {"allow_both_bad": True, "take_comments": True})
    campaign.refresh_from_db()
    vote(campaign, ann)

    with pytest.raises(Refused, match="the allowed answers are fixed"):
        revise_rules(campaign, {"allow_both_bad": False})
    revise_rules(campaign, {"allow_both_bad": True})

    assert Campaign.objects.get().allow_both_bad
