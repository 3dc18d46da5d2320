"""Faults around one vote, as a browser meets them: none loses a vote, and none stores one twice."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from judging.models import Assignment, Campaign, User, Vote
from judging.services.campaigns.campaign_changes import grow_campaign
from judging.services.campaigns.campaign_setup import set_annotators
from judging.services.campaigns.campaign_states import change_state
from judging.services.campaigns.guidelines import change_guidelines, note_guidelines_read
from judging.services.campaigns.next_pair import next_pair
from judging.services.campaigns.vote_exclusions import exclude_rater, restore_votes
from judging.services.invitations.campaign_people import stop_person
from judging.services.invitations.consent import set_consent_text
from tests.campaigns import answer, expire, make_annotator, make_ready_campaign, shown_in, vote, wrong_places
from tests.factories import make_dataset

pytestmark = pytest.mark.django_db
SAVED, LATE, REMOVED = 302, 423, 403


@dataclass
class Browser:
    """The browser of an annotator, which shows a pair. Every answer that is sent has the form of this pair."""

    client: Client
    campaign: Campaign
    person: User
    shown: Assignment

    def send(self, choice: str = "first", address: str = "vote-record", **fields: str) -> int:
        names = shown_in(self.shown)
        form = {"pair": str(self.shown.key), "first": names.first, "second": names.second, "choice": choice}
        return self.client.post(reverse(address, args=[self.campaign.pk]), form | fields).status_code

    def skip(self) -> int:
        return self.send(address="pair-skip", reason="other")

    def undo(self) -> int:
        return self.send(address="pair-reopen")


def vote_is_sent_twice(browser, other):
    assert (browser.send(), browser.send()) == (SAVED, SAVED)
    return ["first"]


def vote_is_sent_again_long_after_the_answer_was_lost(browser, other):
    browser.send()
    vote(browser.campaign, browser.person, "tie")
    browser.send()
    return ["first", "tie"]


def another_tab_votes_otherwise(browser, other):
    browser.send("first")
    browser.send("second")
    return ["first"]


def another_tab_skips_the_pair_later(browser, other):
    browser.send()
    browser.skip()
    return ["first"]


def another_tab_skipped_the_pair_before(browser, other):
    browser.skip()
    browser.send()
    return []


def undo_is_sent_twice(browser, other):
    browser.send()
    browser.undo()
    browser.undo()
    return []


def vote_is_sent_again_after_an_undo(browser, other):
    browser.send()
    browser.undo()
    browser.send()
    return ["first"]


def reservation_has_ended_and_nobody_came(browser, other):
    expire(browser.shown)
    browser.send()
    return ["first"]


def reservation_has_ended_and_another_person_voted(browser, other):
    expire(browser.shown)
    answer(next_pair(browser.campaign, annotator=other), "second")
    browser.send()
    return ["second"]


def person_is_excluded_meanwhile(browser, other):
    vote(browser.campaign, browser.person, "tie")
    browser.shown = next_pair(browser.campaign, annotator=browser.person)
    exclude_rater(browser.campaign.dataset, rater=browser.person.rater_name, reason="careless")
    browser.send()
    assert not Vote.objects.filter(excluded=False).exists()
    return ["first", "tie"]


def exclusion_is_taken_back_after_the_vote(browser, other):
    vote(browser.campaign, browser.person, "tie")
    browser.shown = next_pair(browser.campaign, annotator=browser.person)
    exclusion = exclude_rater(browser.campaign.dataset, rater=browser.person.rater_name, reason="careless")
    browser.send()
    restore_votes(exclusion)
    assert not Vote.objects.filter(excluded=True).exists()
    return ["first", "tie"]


def person_is_removed_meanwhile(browser, other):
    set_annotators(browser.campaign, annotators=[other])
    assert browser.send() == REMOVED
    return []


def person_is_stopped_meanwhile(browser, other):
    stop_person(browser.campaign, rater=browser.person.rater_name)
    assert browser.send() == REMOVED
    return []


def person_has_signed_out_meanwhile(browser, other):
    browser.client.logout()
    browser.send()
    assert not Vote.objects.exists()
    browser.client.force_login(browser.person)
    browser.send()
    return ["first"]


def another_person_has_signed_in_meanwhile(browser, other):
    browser.client.force_login(other)
    browser.send()
    assert not Vote.objects.exists()
    browser.client.force_login(browser.person)
    browser.send()
    return ["first"]


def campaign_is_paused_meanwhile(browser, other):
    return sent_late(browser, "paused")


def campaign_is_closed_meanwhile(browser, other):
    return sent_late(browser, "closed")


def campaign_is_archived_meanwhile(browser, other):
    return sent_late(browser, "closed", "archived", "closed")


def sent_late(browser, *states):
    for state in states:
        change_state(browser.campaign, state=state)
        assert browser.send() == LATE
    change_state(browser.campaign, state="open")
    browser.send()
    return ["first"]


def deadline_passes_meanwhile(browser, other):
    Campaign.objects.update(deadline=timezone.now() - timedelta(seconds=1))
    assert browser.send() == LATE
    Campaign.objects.update(deadline=None)
    browser.send()
    return ["first"]


def more_votes_and_pairs_are_asked_meanwhile(browser, other):
    grow_campaign(browser.campaign, {"votes_per_pair": 2, "pair_limit": 3})
    browser.send()
    vote(browser.campaign, other, "second")
    return ["first", "second"]


def guidelines_and_consent_text_change_meanwhile(browser, other):
    change_guidelines(browser.campaign, text="Mind the order.", changed_by=None)
    set_consent_text(browser.campaign, text="We store votes.", created_by=None)
    browser.send()
    return ["first"]


FAULTS = [
    *(vote_is_sent_twice, vote_is_sent_again_long_after_the_answer_was_lost),
    *(another_tab_votes_otherwise, another_tab_skips_the_pair_later, another_tab_skipped_the_pair_before),
    *(undo_is_sent_twice, vote_is_sent_again_after_an_undo),
    *(reservation_has_ended_and_nobody_came, reservation_has_ended_and_another_person_voted),
    *(person_is_excluded_meanwhile, exclusion_is_taken_back_after_the_vote),
    *(person_is_removed_meanwhile, person_is_stopped_meanwhile),
    *(person_has_signed_out_meanwhile, another_person_has_signed_in_meanwhile),
    *(campaign_is_paused_meanwhile, campaign_is_closed_meanwhile, campaign_is_archived_meanwhile),
    *(deadline_passes_meanwhile, more_votes_and_pairs_are_asked_meanwhile),
    guidelines_and_consent_text_change_meanwhile,
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_fault_loses_and_doubles_no_vote(client, fault):
    ann, ben, cem = people = [make_annotator(name) for name in ("ann", "ben", "cem")]
    dataset = make_dataset(candidates=(2, 2, 2))
    campaign = make_ready_campaign(*people, dataset=dataset, selection="all", pair_limit=2, votes_per_pair=1)
    client.force_login(ann)
    browser = Browser(client, campaign, ann, next_pair(campaign, annotator=ann))

    expected = fault(browser, ben)

    assert sorted(Vote.objects.values_list("choice", flat=True)) == sorted(expected)
    assert wrong_places(campaign) == []
    campaign = Campaign.objects.get()
    for person in (cem, ben):
        note_guidelines_read(campaign, annotator=person)
        expire_others(person)
        while shown := next_pair(campaign, annotator=person):
            answer(shown)
    counting = Assignment.objects.counting().values_list("pair", flat=True)
    assert sorted(counting) == sorted([*campaign.pairs.values_list("pk", flat=True)] * campaign.votes_per_pair)


def expire_others(person: User) -> None:
    for held in Assignment.objects.filter(status="open").exclude(annotator=person):
        expire(held)
