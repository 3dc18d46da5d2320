"""Answers that the server does not receive at once: the browser keeps them and sends them later."""

from playwright.sync_api import Page, expect

from judging.models import Assignment, Candidate, Vote
from judging.services.campaigns.campaign_setup import set_annotators
from judging.services.campaigns.campaign_states import change_state
from judging.services.campaigns.guidelines import note_guidelines_read
from tests.browser.voting import PHONE, answers, open_pair, press_and_wait, rest, shown_texts
from tests.campaigns import make_annotator, vote


def test_skips_and_undos_without_a_network_are_kept_and_sent_later(page, campaign):
    open_pair(page, campaign)
    page.context.set_offline(True)
    page.keyboard.press("s")
    page.keyboard.press("3")
    expect(page.get_by_role("status")).to_contain_text("Not saved yet")

    page.goto("about:blank")
    page.context.set_offline(False)
    open_pair(page, campaign)
    expect(page.locator(".latest")).to_contain_text("Skipped")
    skipped = Assignment.objects.get(status="skipped")
    rest(page)
    page.context.set_offline(True)
    page.keyboard.press("u")
    expect(page.get_by_role("status")).to_contain_text("Not saved yet")
    page.context.set_offline(False)

    expect(page.locator(".latest")).to_be_hidden()
    skipped.refresh_from_db()
    assert [event.action for event in skipped.events.all()] == ["skipped", "reopened"]
    assert (skipped.status, page.evaluate("localStorage.length")) == ("open", 0)


def test_a_change_without_a_network_is_kept_and_sent_later(page, campaign, ann):
    mine = vote(campaign, ann, "first")
    page.goto(f"/campaigns/{campaign.pk}/votes/{mine.assignment.key}/?page=1")
    rest(page)
    page.context.set_offline(True)

    page.get_by_role("button", name="Summary 2").click()
    expect(page.get_by_role("status")).to_contain_text("Not saved yet")
    page.context.set_offline(False)

    expect(page.locator("[data-changed]")).to_contain_text("Your vote is saved as shown here.")
    assert [choice for *_, choice in answers()] == ["second"]


def test_an_answer_to_a_paused_campaign_is_kept_and_sent_when_it_is_open_again(page, campaign):
    open_pair(page, campaign)
    change_state(campaign, state="paused")

    page.keyboard.press("a")
    expect(page.get_by_role("status")).to_contain_text("This campaign is paused. Your answer is kept in this browser")
    expect(page.get_by_role("button", name="Send again")).to_have_count(0)
    assert answers() == []
    page.goto(f"/campaigns/{campaign.pk}/votes/")
    expect(page.get_by_role("status")).to_contain_text("This campaign is paused. Your answer is kept in this browser")
    expect(page.get_by_role("heading", name="Your votes")).to_be_visible()
    change_state(campaign, state="open")
    page.goto(f"/campaigns/{campaign.pk}/annotate/")

    expect(page.locator(".so-far label")).to_contain_text("1 of 12 done")
    assert [choice for *_, choice in answers()] == ["first"]
    assert page.evaluate("localStorage.length") == 0


def test_somebody_who_was_removed_reads_that_the_vote_was_not_saved(page, campaign):
    open_pair(page, campaign)
    Assignment.objects.filter(campaign=campaign).get()
    set_annotators(campaign, annotators=[])

    page.keyboard.press("a")

    expect(page.get_by_text("Your last answer was not saved")).to_be_visible()
    assert (answers(), page.evaluate("localStorage.length")) == ([], 0)


def test_an_unsent_vote_is_told_where_the_buttons_are(page, campaign):
    Candidate.objects.update(text="It reads as one text. " * 100)
    page.set_viewport_size(PHONE)
    open_pair(page, campaign)
    page.context.set_offline(True)

    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.get_by_role("button", name="Summary 2").click()

    expect(page.get_by_role("status").filter(has_text="Not saved yet")).to_be_in_viewport()
    assert answers() == []
    page.context.set_offline(False)
    expect(page.locator(".so-far label")).to_contain_text("1 of 12 done")
    assert (Vote.objects.count(), page.evaluate("localStorage.length")) == (1, 0)


def test_a_vote_that_the_network_swallows_is_sent_again(page, campaign):
    page.route("**/annotate/vote/", lambda route: None, times=1)
    open_pair(page, campaign)
    patience = page.evaluate("htmx.config.timeout")
    assert patience == 20_000
    page.evaluate("htmx.config.timeout = 1")

    page.keyboard.press("a")
    expect(page.get_by_role("status")).to_contain_text("Not saved yet")
    page.evaluate(f"htmx.config.timeout = {patience}")

    expect(page.locator(".so-far label")).to_contain_text("1 of 12 done")
    assert Vote.objects.count() == 1


def test_an_unsent_vote_outlives_the_page(page, campaign):
    open_pair(page, campaign)
    texts = shown_texts(page)
    page.context.set_offline(True)
    page.keyboard.press("b")
    expect(page.get_by_role("status")).to_contain_text("Not saved yet")

    page.goto("about:blank")
    page.context.set_offline(False)
    page.goto(f"/campaigns/{campaign.pk}/annotate/")

    expect(page.locator(".so-far label")).to_contain_text("1 of 12 done")
    assert answers() == [(*texts, "second")]


def test_a_vote_of_somebody_who_is_signed_out_is_kept_and_sent_after_signing_in(page, campaign):
    open_pair(page, campaign)
    texts = shown_texts(page)
    page.context.clear_cookies()

    page.keyboard.press("a")
    expect(page.get_by_role("status")).to_contain_text("your answer is kept")
    page.reload()
    sign_in_as(page, "annotator")

    expect(page.locator(".so-far label")).to_contain_text("1 of 12 done")
    assert answers() == [(*texts, "first")]
    assert page.evaluate("localStorage.length") == 0


def test_a_kept_vote_is_never_sent_under_the_name_of_another_person_at_the_browser(page, campaign, ann):
    ben = make_annotator("ben")
    set_annotators(campaign, annotators=[ann, ben])
    note_guidelines_read(campaign, annotator=ben)
    open_pair(page, campaign)
    page.context.clear_cookies()
    page.keyboard.press("a")
    expect(page.get_by_role("status")).to_contain_text("your answer is kept")

    page.reload()
    sign_in_as(page, "ben")
    rest(page)
    press_and_wait(page, "b")

    assert list(Vote.objects.values_list("user__username", "choice")) == [("ben", "second")]
    assert page.evaluate("localStorage.length") == 1


def sign_in_as(page: Page, name: str) -> None:
    for label in ("Name", "Password"):
        page.get_by_label(label).fill(name)
    page.get_by_role("button", name="Sign in").click()
