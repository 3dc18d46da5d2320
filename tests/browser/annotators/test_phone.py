"""Voting on a phone: one of the two texts at a time, each with its place, and a mark until it was read to its end."""

import pytest
from playwright.sync_api import expect

from judging.models import Assignment, Candidate, Context, Vote
from tests.browser.looks import violations_in_both_schemes
from tests.browser.voting import PHONE, act_and_wait, answers, open_pair, press_and_wait, rest, shown_texts
from tests.campaigns import make_campaign, make_ready_campaign
from tests.factories import make_dataset


@pytest.fixture
def phone(page, campaign):
    """A phone with the first pair of two texts that are several screens long."""
    for number, candidate in enumerate(Candidate.objects.all(), start=1):
        candidate.text = f"It reads as text {number}. " * 400
        candidate.save()
    page.set_viewport_size(PHONE)
    open_pair(page, campaign)
    return page


def reading(page, number):
    return page.get_by_role("button", name=f"Read {number}")


def text(page, number):
    return page.get_by_role("region", name=f"Summary {number}")


def scroll_to_end(page, number):
    text(page, number).evaluate("text => text.scrollIntoView({ block: 'end' })")


def scrolled(page):
    return page.evaluate("scrollY")


def test_one_text_is_shown_at_a_time_and_each_keeps_its_place(phone):
    expect(text(phone, 1)).to_be_visible()
    expect(text(phone, 2)).to_be_hidden()
    phone.evaluate("scrollTo(0, 2000)")

    reading(phone, 2).click()
    expect(text(phone, 1)).to_be_hidden()
    top = text(phone, 2).bounding_box()["y"]
    phone.evaluate("scrollTo(0, 1500)")
    reading(phone, 1).click()
    first = scrolled(phone)
    reading(phone, 2).click()

    assert 0 <= top < PHONE["height"] / 2
    assert (first, scrolled(phone)) == (2000, 1500)
    expect(reading(phone, 2)).to_have_attribute("aria-pressed", "true")


def test_the_button_of_a_text_that_lies_under_the_bar_brings_it_into_view(page, ann):
    page.set_viewport_size(PHONE)
    asked = {"allow_both_bad": True, "strength_levels": 3, "confidence_levels": 5, "take_comments": True}
    campaign = make_ready_campaign(ann, **asked)
    Context.objects.update(text="A long article. " * 400)
    Candidate.objects.update(text="It reads as one text. " * 400)
    open_pair(page, campaign)

    for number in (2, 1):
        reading(page, number).click()

        assert 0 <= text(page, number).bounding_box()["y"] < PHONE["height"] / 3
        page.evaluate("scrollTo(0, 0)")


def test_a_text_is_marked_until_its_end_was_on_screen(phone):
    unread = " not read to its end"
    expect(reading(phone, 1)).to_have_accessible_name(f"Read 1{unread}")
    scroll_to_end(phone, 1)
    expect(reading(phone, 1)).to_have_accessible_name("Read 1")
    expect(reading(phone, 2)).to_have_accessible_name(f"Read 2{unread}")

    reading(phone, 2).click()
    expect(reading(phone, 2)).to_have_accessible_name(f"Read 2{unread}")
    scroll_to_end(phone, 2)
    expect(reading(phone, 2)).to_have_accessible_name("Read 2")


def test_the_next_pair_begins_with_its_first_text_unread(phone):
    texts = shown_texts(phone)
    scroll_to_end(phone, 1)
    reading(phone, 2).click()

    act_and_wait(phone, lambda: phone.get_by_role("button", name="Summary 2").click())

    assert answers() == [(*texts, "second")]
    expect(text(phone, 1)).to_be_visible()
    expect(reading(phone, 1)).to_have_accessible_name("Read 1 not read to its end")


def test_marked_differences_leave_the_text_in_view(phone):
    Candidate.objects.update(text="It reads as one text.")
    phone.reload()
    reading(phone, 2).click()

    phone.get_by_role("button", name="Differences").click()
    expect(phone.locator("[data-difference-counts]")).to_be_visible()

    expect(text(phone, 2)).to_be_visible()
    expect(text(phone, 1)).to_be_hidden()


def test_the_bar_covers_no_end_of_a_text_and_is_accessible(page, ann):
    page.set_viewport_size(PHONE)
    open_pair(page, make_ready_campaign(ann, allow_both_bad=True, allow_cannot_judge=True, strength_levels=3))

    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")

    end = text(page, 1).bounding_box()
    assert end["y"] + end["height"] <= page.locator(".vote-bar").bounding_box()["y"]
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert violations_in_both_schemes(page) == []


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
