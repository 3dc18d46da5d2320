"""Votes, undo, double presses and the back button in a browser."""

from playwright.sync_api import expect

from judging.models import Assignment, Vote
from tests.browser.voting import answers, open_pair, press_and_wait, rest, shown_texts
from tests.campaigns import let_time_pass
from tests.judging.workers import wait_until

PRESS_AS_THE_NEXT_PAIR_APPEARS = """key => {
    const press = () => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    document.addEventListener("pairshown", () => setTimeout(press), { once: true });
}"""
"""A script of the page presses the key, because a press from outside may come too late on a slow machine."""


def test_reload_and_undo_show_the_same_pair_with_the_same_sides(page, campaign):
    open_pair(page, campaign)
    texts = shown_texts(page)
    page.reload()
    rest(page)
    reloaded = shown_texts(page)
    press_and_wait(page, "a")

    press_and_wait(page, "u")

    assert (reloaded, shown_texts(page)) == (texts, texts)
    assert answers() == []


def test_a_double_press_is_one_vote(page, campaign):
    open_pair(page, campaign)
    page.evaluate(PRESS_AS_THE_NEXT_PAIR_APPEARS, "a")

    before = page.locator("[data-annotate]").element_handle()
    for _ in range(4):
        page.keyboard.press("a")
    page.wait_for_function("box => !box.isConnected", arg=before)
    rest(page)

    expect(page.locator(".so-far label")).to_contain_text("1 of 12 done")
    assert Vote.objects.count() == 1


def test_a_double_click_is_one_vote(page, campaign):
    open_pair(page, campaign)

    page.get_by_role("button", name="Summary 1").dblclick()

    expect(page.locator(".so-far label")).to_contain_text("1 of 12 done")
    rest(page)
    assert Vote.objects.count() == 1


def test_the_back_button_without_scripts_leads_to_the_next_pair_and_not_to_the_answered_one(campaign, plain):
    plain.goto(f"/campaigns/{campaign.pk}/annotate/")
    texts = shown_texts(plain)[-2:]
    plain.get_by_role("button", name="Summary 1").click()
    expect(plain.locator(".so-far label")).to_contain_text("1 of 12 done")
    following = shown_texts(plain)

    plain.go_back()

    assert shown_texts(plain) == following
    assert answers() == [(*texts, "first")]


def test_time_on_task_leaves_out_the_time_for_which_the_page_was_hidden(page, clock, campaign):
    open_pair(page, campaign)
    let_time_pass(504_000)  # before the page reports any time: more than passed is cut
    hide = """hidden => {
        Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
    }"""

    clock.fast_forward(3_000)
    page.evaluate(hide, True)
    wait_until(Assignment.objects.filter(visible_milliseconds__gte=3_000).exists, what="the time so far is stored")
    clock.fast_forward(500_000)
    page.evaluate(hide, False)
    clock.fast_forward(1_000)
    press_and_wait(page, "a")

    assert 4 <= Vote.objects.get().seconds < 500


def test_time_on_task_survives_a_reload(page, clock, campaign):
    open_pair(page, campaign)
    let_time_pass(5_000)
    clock.fast_forward(5_000)

    page.reload()
    rest(page)
    press_and_wait(page, "a")

    assert 5 <= Vote.objects.get().seconds < 60
