"""One annotator with two tabs of the same campaign."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from judging.models import Assignment, Vote
from tests.browser.voting import answers, open_pair, press_and_wait, rest, shown_texts
from tests.campaigns import vote

ALREADY = "You already voted on this pair, perhaps in another tab. Your first vote is kept"


def another_tab(page: Page) -> Page:
    """Open a second tab of the same browser."""
    return page.context.new_page()


def history(assignment: Assignment) -> list[tuple[str, str]]:
    return [(event.action, event.choice) for event in assignment.events.order_by("pk")]


def test_a_pair_that_is_voted_on_in_two_tabs_keeps_the_first_vote(page, campaign):
    open_pair(page, campaign)
    other = another_tab(page)
    open_pair(other, campaign)
    assert shown_texts(page) == shown_texts(other)
    press_and_wait(other, "b")

    press_and_wait(page, "a")

    expect(page.locator("ul.messages")).to_contain_text(ALREADY)
    assert shown_texts(page) == shown_texts(other)
    assert [choice for *_, choice in answers()] == ["second"]
    press_and_wait(page, "a")
    assert [choice for *_, choice in answers()] == ["second", "first"]


def test_a_vote_after_signing_out_in_another_tab_is_sent_after_signing_in_again(page, campaign):
    open_pair(page, campaign)
    texts = shown_texts(page)
    other = another_tab(page)
    other.goto("/")
    other.get_by_role("button", name="Sign out").click()
    expect(other.get_by_role("heading", name="Sign in")).to_be_visible()

    page.keyboard.press("b")
    page.get_by_label("Name").fill("annotator")
    page.get_by_label("Password").fill("annotator")
    assert answers() == []
    page.get_by_role("button", name="Sign in").click()

    expect(page.locator(".so-far label")).to_contain_text("1 of 12 done")
    assert page.url.endswith(f"/campaigns/{campaign.pk}/annotate/")
    assert (answers(), page.evaluate("localStorage.length")) == ([(*texts, "second")], 0)


def test_a_change_of_a_vote_after_signing_out_is_sent_after_signing_in_again(page, campaign, ann):
    mine = vote(campaign, ann, "first")
    page.goto(f"/campaigns/{campaign.pk}/votes/{mine.assignment.key}/")
    rest(page)
    page.context.clear_cookies(name="sessionid")

    page.get_by_role("button", name="Summary 2").click()
    page.get_by_label("Name").fill("annotator")
    page.get_by_label("Password").fill("annotator")
    assert [choice for *_, choice in answers()] == ["first"]
    page.get_by_role("button", name="Sign in").click()

    expect(page.locator("[data-changed]")).to_contain_text("Your vote is saved as shown here.")
    assert [choice for *_, choice in answers()] == ["second"]
    assert history(mine.assignment) == [("voted", "first"), ("changed", "second")]


def test_an_undo_of_a_vote_that_was_changed_in_another_tab_brings_the_pair_back(page, campaign):
    open_pair(page, campaign)
    texts = shown_texts(page)
    press_and_wait(page, "a")
    other = another_tab(page)
    other.goto(f"/campaigns/{campaign.pk}/votes/")
    other.get_by_role("link", name="Change").click()
    rest(other)
    other.get_by_role("button", name="Summary 2").click()
    expect(other.locator("[data-changed]")).to_contain_text("Your vote is saved as shown here.")

    press_and_wait(page, "u")

    assert shown_texts(page) == texts
    assert answers() == []
    voted_on = Assignment.objects.earliest("pk")
    assert history(voted_on) == [("voted", "first"), ("changed", "second"), ("reopened", "")]


def test_a_vote_that_is_changed_in_two_tabs_is_the_one_chosen_last(page, campaign, ann):
    mine = vote(campaign, ann, "first")
    address = f"/campaigns/{campaign.pk}/votes/{mine.assignment.key}/"
    other = another_tab(page)
    for tab in (page, other):
        tab.goto(address)
        rest(tab)
    other.get_by_role("button", name="Summary 2").click()
    expect(other.locator("[data-changed]")).to_be_visible()

    page.get_by_role("button", name="Tie").click()

    expect(page.locator("[data-changed]").get_by_role("heading")).to_contain_text("Tie")
    assert [choice for *_, choice in answers()] == ["tie"]
    assert history(mine.assignment) == [("voted", "first"), ("changed", "second"), ("changed", "tie")]


def test_an_answer_that_another_tab_has_sent_is_not_sent_again(page, campaign):
    """The undo of one tab waits for the network. Another tab sends it, and votes anew: the vote must stay."""
    page.route("**/annotate/reopen/", lambda route: route.abort())  # a page that is open already may send once more
    open_pair(page, campaign)
    texts = shown_texts(page)
    press_and_wait(page, "a")
    page.keyboard.press("u")
    expect(page.get_by_role("status")).to_contain_text("Not saved yet")

    other = another_tab(page)
    open_pair(other, campaign)
    expect(other.locator(".so-far label")).to_contain_text("0 of 12 done")
    rest(other)
    assert shown_texts(other) == texts
    press_and_wait(other, "b")
    page.unroute("**/annotate/reopen/")

    expect(page.locator("ul.messages, .latest").first).to_contain_text("Saved")
    expect(page.locator(".so-far label")).to_contain_text("1 of 12 done")
    rest(page)
    assert answers() == [(*texts, "second")]
    assert shown_texts(page) == shown_texts(other)
    press_and_wait(page, "a")
    assert Vote.objects.count() == 2
