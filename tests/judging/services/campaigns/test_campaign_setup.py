"""The pairs of a campaign, and the fields that can still change."""

from collections import Counter

import pytest

from evenhand.refusals import Refused
from judging.models import ANNOTATOR, RESEARCHER, Campaign
from judging.services.campaigns.answer_rules import revise_rules
from judging.services.campaigns.campaign_setup import (
    create_campaign,
    discard_campaign,
)
from judging.services.campaigns.guidelines import note_guidelines_read
from judging.services.campaigns.next_pair import next_pair
from tests.campaigns import make_annotator, make_campaign, vote
from tests.factories import make_dataset, make_user


@pytest.mark.django_db
def test_create_campaign_draws_all_pairs_of_contexts_with_two_candidates_or_more():
    campaign = make_campaign(make_dataset(candidates=(3, 1, 4)))

    assert Counter(campaign.pairs.values_list("one__context__key", flat=True)) == {"c0": 3, "c2": 6}


@pytest.mark.django_db
def test_create_campaign_refuses_with_every_problem_and_stores_nothing():
    dataset, other = make_dataset(), make_dataset("Other")
    researcher = make_user("rita", RESEARCHER)
    make_campaign(dataset, name="Taken")

    with pytest.raises(Refused) as impossible:
        create_campaign(
            dataset,
            attributes=[other.attributes.get()],
            name=" Taken ",
            selection="all",
            pairs_per_context=1,
        )
    with pytest.raises(Refused) as wrong_role:
        create_campaign(dataset, attributes=[dataset.attributes.get()], name="Fresh", annotators=[researcher])

    assert impossible.value.problems == (
        "pairs per context: 1 — the selection all takes every pair; leave it out",
        'attribute: "coherence" is not an attribute of the dataset "Summaries"',
        'name: "Taken" is not free — choose another name',
    )
    assert wrong_role.value.problems == ('annotators: "rita" does not have the role annotator',)
    assert [campaign.name for campaign in Campaign.objects.all()] == ["Taken"]


@pytest.mark.django_db
def test_create_campaign_refuses_a_dataset_without_a_pair():
    with pytest.raises(Refused, match="no context has two candidates"):
        make_campaign(make_dataset(candidates=(1, 1)))


@pytest.mark.django_db
def test_revise_rules_without_votes_has_them_read_again_and_changes_no_other_campaign():
    ann = make_annotator("ann")
    campaign, other = make_campaign(annotators=[ann]), make_campaign(name="other", questions={"coherence": "Which?"})
    note_guidelines_read(campaign, annotator=ann)
    next_pair(campaign, annotator=ann)

    revise_rules(campaign, {"allow_ties": False}, questions={"coherence": "Which is right?"})

    campaign.refresh_from_db()
    assert (campaign.asked_question, campaign.allow_ties) == ("Which is right?", False)
    assert campaign.participations.get().guidelines_read_at is None
    other.refresh_from_db()
    assert (other.asked_question, other.allow_ties) == ("Which?", True)


@pytest.mark.django_db
def test_revise_rules_refuses_once_a_vote_is_in():
    ann = make_annotator("ann")
    campaign = make_campaign(annotators=[ann], questions={"coherence": "Which reads well?"})
    vote(campaign, ann)

    with pytest.raises(Refused, match="the campaign has votes"):
        revise_rules(campaign, {"allow_ties": True}, questions={"coherence": "Which is right?"})

    campaign.refresh_from_db()
    assert campaign.asked_question == "Which reads well?"


@pytest.mark.django_db
def test_discard_campaign_removes_one_without_votes_only():
    ann = make_annotator("ann")
    empty, voted = make_campaign(name="empty"), make_campaign(name="voted", annotators=[ann])
    vote(voted, ann)

    discard_campaign(empty)
    with pytest.raises(Refused, match='campaign "voted" has votes and cannot be deleted'):
        discard_campaign(voted)

    assert [campaign.name for campaign in Campaign.objects.all()] == ["voted"]


@pytest.mark.django_db
def test_campaigns_are_open_to_their_annotators_and_visible_to_researchers():
    ann, ben, rita = make_annotator("ann"), make_annotator("ben"), make_user("rita", RESEARCHER)
    both = make_user("bo", RESEARCHER, ANNOTATOR)
    make_campaign(name="Hers", annotators=[ann])

    visible = {user.username: Campaign.objects.visible_to(user).count() for user in (ann, ben, rita, both)}
    open_to = {user.username: Campaign.objects.open_to(user).count() for user in (ann, ben, rita, both)}

    assert visible == {"ann": 1, "ben": 0, "rita": 1, "bo": 1}
    assert open_to == {"ann": 1, "ben": 0, "rita": 0, "bo": 0}
