"""Annotators whose browser runs no scripts, when the campaign or the server changes under their page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from judging.models import Assignment, Vote
from judging.services.campaigns.campaign_states import change_state
from tests.browser.voting import answers, shown_texts
from tests.campaigns import expire, make_annotator, make_ready_campaign, vote
from tests.factories import make_dataset


@pytest.fixture
def plain(page, ann, chromium, live_server) -> Iterator[Page]:
    """A page without scripts, of the annotator who is signed in."""
    cookies = page.context.storage_state()
    context = chromium.new_context(base_url=live_server.url, java_script_enabled=False, storage_state=cookies)
    yield context.new_page()
    context.close()


def open_pair(page: Page, campaign) -> tuple[str, str]:
    """Open the next pair, and return its two texts as shown."""
    page.goto(f"/campaigns/{campaign.pk}/annotate/")
    first, second = shown_texts(page)[-2:]
    return first, second


@pytest.mark.parametrize("state", ["paused", "closed"])
def test_a_vote_for_a_campaign_that_takes_none_now_can_be_sent_again(plain, campaign, state):
    texts = open_pair(plain, campaign)
    change_state(campaign, state=state)

    plain.get_by_role("button", name="Summary 1").click()
    expect(plain.get_by_role("heading", level=1)).to_contain_text(f"This campaign is {state}.")
    expect(plain.get_by_text("Your last answer is not saved.")).to_be_visible()
    assert answers() == []
    plain.get_by_role("button", name="Send again").click()
    expect(plain.get_by_text("Your last answer is not saved.")).to_be_visible()
    change_state(campaign, state="open")
    plain.get_by_role("button", name="Send again").click()

    expect(plain.locator(".so-far label")).to_contain_text("1 of 12 done")
    assert answers() == [(*texts, "first")]


def test_a_pair_that_others_completed_is_refused_and_the_next_pair_follows(plain, ann):
    ben = make_annotator("ben")
    campaign = make_ready_campaign(ann, ben, dataset=make_dataset(candidates=(2, 2, 2)), votes_per_pair=1)
    open_pair(plain, campaign)
    expire(Assignment.objects.get())
    for _ in range(2):
        vote(campaign, ben)

    plain.get_by_role("button", name="Summary 1").click()

    expect(plain.locator("ul.messages")).to_contain_text("This pair received all its votes from others")
    plain.get_by_role("button", name="Summary 2").click()
    expect(plain.get_by_text("Thank you: no pairs left")).to_be_visible()
    assert list(Vote.objects.filter(user=ann).values_list("choice", flat=True)) == ["second"]


def test_the_back_button_leads_to_the_next_pair_and_not_to_the_answered_one(plain, campaign):
    texts = open_pair(plain, campaign)
    plain.get_by_role("button", name="Summary 1").click()
    expect(plain.locator(".so-far label")).to_contain_text("1 of 12 done")
    following = shown_texts(plain)

    plain.go_back()

    assert shown_texts(plain) == following
    assert answers() == [(*texts, "first")]
