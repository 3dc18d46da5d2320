"""A copy of a campaign: what it has of the campaign, and what is its own."""

import pytest

from evenhand.formats.recorded.known_pairs import KnownPair
from evenhand.refusals import Refused
from judging.models import Campaign, Purpose
from judging.services.campaign_pairs.asked_pairs import AskedPair
from judging.services.campaign_pairs.gold_pairs import add_gold_pairs, set_check_shares
from judging.services.campaign_pairs.training import set_training_pairs
from judging.services.campaigns.campaign_copies import copy_campaign, name_of_copy
from judging.services.invitations.consent import current_consent_text, set_consent_text
from tests.campaigns import make_annotator, make_campaign, make_ready_campaign, vote
from tests.factories import make_dataset, make_user

pytestmark = pytest.mark.django_db


def pairs_of(campaign):
    return list(campaign.pairs.asked().order_by("position").values_list("one", "other"))


def known_pair(number, *, answer="first"):
    return KnownPair(context=f"c{number}", first="a", second="b", answer=answer)


def test_copy_is_a_draft_with_the_settings_and_nobody():
    rob = make_user("rob", "researcher")
    ann = make_annotator("ann")
    campaign = make_ready_campaign(
        ann, guidelines="Mind the facts.", votes_per_pair=2, allow_ties=False, strength_levels=3, selection="all"
    )
    vote(campaign, ann)
    set_consent_text(campaign, text="I agree.", created_by=None)

    copy = copy_campaign(campaign, name="June", created_by=rob)

    assert (copy.name, copy.state, copy.created_by, copy.annotators.count()) == ("June", "draft", rob, 0)
    for setting in ("guidelines", "votes_per_pair", "allow_ties", "strength_levels", "pair_choice"):
        assert getattr(copy, setting) == getattr(campaign, setting)
    assert copy.attributes_in_order() == campaign.attributes_in_order()
    assert current_consent_text(copy).text == "I agree."
    assert sorted(pairs_of(copy)) == sorted(pairs_of(campaign))


def test_copy_draws_its_pairs_with_a_fresh_seed():
    campaign = make_campaign(make_dataset(candidates=(12,)), selection="random", pairs_per_context=20)

    copy = copy_campaign(campaign, name="June", created_by=None)

    assert copy.seed != campaign.seed
    assert pairs_of(copy) != pairs_of(campaign)


def test_copy_lists_given_pairs_again():
    dataset = make_dataset()
    one, _, other = dataset.contexts.first().candidates.order_by("position")
    pair = AskedPair(one.pk, other.pk, dataset.attributes.get().pk)
    campaign = make_campaign(dataset, given_pairs=[pair])

    copy = copy_campaign(campaign, name="June", created_by=None)

    assert pairs_of(copy) == [(one.pk, other.pk)]


def test_copy_has_gold_and_training_pairs():
    campaign = make_campaign(make_dataset(candidates=(2,) * 4), selection="all")
    add_gold_pairs(campaign, [known_pair(0)])
    set_training_pairs(campaign, [known_pair(1, answer="second")])
    set_check_shares(campaign, repeat_share=0.2, gold_share=0.5, training_pass_mark=0.8)

    copy = copy_campaign(campaign, name="June", created_by=None)

    assert (copy.repeat_share, copy.gold_share, copy.training_pass_mark) == (0.2, 0.5, 0.8)
    assert copy.pairs.get(purpose=Purpose.GOLD).one.context.key == "c0"
    assert copy.training_pairs.get().one.context.key == "c1"
    assert len(pairs_of(copy)) == 2


def test_copy_needs_a_name_of_its_own():
    campaign = make_campaign(name="May")

    with pytest.raises(Refused, match='"May" is not free'):
        copy_campaign(campaign, name="May", created_by=None)

    assert Campaign.objects.count() == 1


def test_name_of_copy_is_free():
    campaign = make_campaign(name="May")

    first = copy_campaign(campaign, name=name_of_copy(campaign, None), created_by=None)

    assert (first.name, name_of_copy(campaign, None)) == ("May, copy", "May, copy 2")
