"""Voting by keys: the usual ones, own ones, and none."""

from playwright.sync_api import expect

from judging.models import Assignment, Vote
from tests.browser.looks import violations_in_both_schemes
from tests.browser.voting import answers, open_pair, press_and_wait, rest, shown_texts
from tests.campaigns import make_ready_campaign


def test_keys_vote_and_store_the_sides_as_shown(page, campaign):
    open_pair(page, campaign)

    expected = []
    for key, choice in (("a", "first"), ("ArrowRight", "second"), ("t", "tie"), ("2", "second"), ("0", "tie")):
        expected.append((*shown_texts(page), choice))
        press_and_wait(page, key)

    assert answers() == expected
    assert Vote.objects.filter(seconds=None).count() == 0


def test_skip_by_keyboard_asks_why_and_takes_no_other_key_meanwhile(page, campaign):
    open_pair(page, campaign)

    page.keyboard.press("s")
    expect(page.get_by_role("group", name="Why do you skip this pair?")).to_be_visible()
    page.keyboard.press("b")
    press_and_wait(page, "2")

    expect(page.locator(".latest")).to_contain_text("Skipped")
    assert Assignment.objects.get(status="skipped").skip_reason == "language"
    assert answers() == []


def test_escape_leaves_the_skip_form(page, campaign):
    open_pair(page, campaign)
    page.keyboard.press("s")

    page.keyboard.press("Escape")
    expect(page.get_by_role("group", name="Why do you skip this pair?")).to_be_hidden()
    press_and_wait(page, "2")

    assert [choice for *_, choice in answers()] == ["second"]


def test_the_dialog_of_keys_opens_at_its_close_button_and_logs_nothing(page, campaign):
    logged = []
    page.on("console", lambda message: logged.append(message.text))
    open_pair(page, campaign)
    press_and_wait(page, "a")
    press_and_wait(page, "b")

    page.keyboard.press("?")

    expect(page.get_by_role("button", name="Close")).to_be_focused()
    assert logged == []


def test_keys_rest_while_a_dialog_is_open(page, campaign):
    open_pair(page, campaign)

    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("a")
    page.keyboard.press("Escape")

    expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()
    assert answers() == []


def test_keys_can_be_switched_off_and_stay_off(page, campaign):
    open_pair(page, campaign)
    page.keyboard.press("?")
    page.get_by_role("button", name="Turn keys off").click()
    rest(page)

    page.keyboard.press("a")
    page.get_by_role("button", name="Summary 2").click()

    expect(page.locator(".so-far label")).to_contain_text("1 of 12 done")
    assert [choice for _, _, choice in answers()] == ["second"]
    expect(page.locator("kbd:visible")).to_have_count(0)


def test_own_keys_vote_and_stand_on_the_buttons(page, campaign):
    open_pair(page, campaign)
    page.keyboard.press("?")
    page.get_by_role("link", name="Change keys").click()
    page.get_by_label("First text").fill("J")
    page.get_by_label("Skip").fill("J")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text('"J" is also a key of "first text"')).to_be_visible()
    assert violations_in_both_schemes(page) == []
    page.get_by_label("Skip").fill("K")
    page.get_by_role("button", name="Save").click()
    rest(page)

    page.keyboard.press("a")
    press_and_wait(page, "j")

    assert [choice for *_, choice in answers()] == ["first"]
    expect(page.get_by_role("button", name="Summary 1").locator("kbd")).to_have_text("J")


def test_keys_answer_both_bad_and_cannot_judge_and_arrows_choose_a_strength(page, ann):
    campaign = make_ready_campaign(
        ann, name="All answers", allow_both_bad=True, allow_cannot_judge=True, strength_levels=3, take_comments=True
    )
    open_pair(page, campaign)
    press_and_wait(page, "x")
    press_and_wait(page, "c")

    page.get_by_role("radio", name="1").focus()
    page.keyboard.press("ArrowRight")
    press_and_wait(page, "b")

    votes = Vote.objects.filter(assignment__campaign=campaign).order_by("pk")
    assert [(one.choice, one.strength) for one in votes] == [("both-bad", None), ("cannot-judge", None), ("second", 2)]
