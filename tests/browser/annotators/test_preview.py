"""A researcher previews a campaign in the browser, by keys as annotators vote."""

import pytest
from playwright.sync_api import expect

from judging.models import Assignment, Vote
from tests.browser.looks import violations_in_both_schemes
from tests.browser.voting import press_and_wait, rest
from tests.campaigns import make_campaign
from tests.factories import make_dataset

pytestmark = pytest.mark.django_db(transaction=True)


def test_preview_goes_through_pairs_by_keys_and_stores_nothing(page, sign_in):
    rita = sign_in("researcher")
    campaign = make_campaign(make_dataset(candidates=(3, 3), owner=rita), created_by=rita, guidelines="Look for order.")
    page.goto(campaign.get_absolute_url())
    page.get_by_role("link", name="Preview").click()
    expect(page.get_by_text("Preview of what annotators see: nothing is stored.")).to_be_visible()
    page.get_by_role("button", name="I have read this: start").click()
    rest(page)
    assert violations_in_both_schemes(page) == []

    press_and_wait(page, "a")
    press_and_wait(page, "t")
    page.keyboard.press("s")
    press_and_wait(page, "2")
    page.keyboard.press("d")

    expect(page.locator("[data-difference-counts]")).to_be_visible()
    expect(page.locator(".so-far label")).to_contain_text("3 of 6 done")
    expect(page.get_by_text("Preview of what annotators see: nothing is stored.")).to_be_visible()
    assert not Vote.objects.exists()
    assert not Assignment.objects.exists()
    page.get_by_role("link", name="Back to the campaign").click()
    expect(page.get_by_role("heading", name=campaign.name)).to_be_visible()
