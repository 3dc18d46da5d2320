"""Voting by keys: the usual ones, own ones, and none."""

from playwright.sync_api import expect

from judging.models import Assignment, Candidate, Vote
from tests.browser.looks import violations_in_both_schemes
from tests.browser.voting import PHONE, answers, open_pair, press_and_wait, rest, shown_texts
from tests.campaigns import make_ready_campaign


def test_keys_vote_and_store_the_sides_as_shown(page, campaign):
    open_pair(page, campaign)

    expected = []
    for key, choice in (("a", "first"), ("b", "second"), ("t", "tie"), ("a", "first")):
        expected.append((*shown_texts(page), choice))
        press_and_wait(page, key)

    assert answers() == expected
    assert Vote.objects.filter(seconds=None).count() == 0


def test_skip_by_keyboard_asks_why_takes_no_other_key_meanwhile_and_is_left_by_escape(page, campaign):
    open_pair(page, campaign)
    why = page.get_by_role("group", name="Why do you skip this pair?")

    page.keyboard.press("s")
    expect(why).to_be_visible()
    page.keyboard.press("Escape")
    expect(why).to_be_hidden()
    page.keyboard.press("s")
    page.keyboard.press("b")
    press_and_wait(page, "2")

    expect(page.locator(".latest")).to_contain_text("Skipped")
    assert Assignment.objects.get(status="skipped").skip_reason == "language"
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


def test_keys_answer_both_bad_and_cannot_judge(page, ann):
    campaign = make_ready_campaign(ann, name="All answers", allow_both_bad=True, allow_cannot_judge=True)
    open_pair(page, campaign)

    press_and_wait(page, "x")
    press_and_wait(page, "c")

    assert [choice for *_, choice in answers()] == ["both-bad", "cannot-judge"]


def test_keys_lead_to_strength_confidence_and_comment_whose_digits_and_letters_are_no_votes(page, ann):
    campaign = make_ready_campaign(ann, strength_levels=3, confidence_levels=5, take_comments=True)
    open_pair(page, campaign)

    for key in ("m", "2", "ArrowRight", "h", "1", "n"):
        page.keyboard.press(key)
    page.keyboard.type("A fact is wrong in 1.")
    page.keyboard.press("Escape")
    press_and_wait(page, "b")

    assert list(Vote.objects.values_list("choice", "strength", "confidence", "comment")) == [
        ("second", 3, 1, "A fact is wrong in 1.")
    ]


def test_a_digit_on_a_level_chooses_a_level_for_somebody_who_votes_by_digits(page, ann):
    ann.vote_keys = {"first": ["1"]}
    ann.save()
    open_pair(page, make_ready_campaign(ann, strength_levels=3))

    page.get_by_role("radio", name="3").check()
    page.keyboard.press("1")
    press_and_wait(page, "b")

    assert list(Vote.objects.values_list("choice", "strength")) == [("second", 1)]


def test_no_key_votes_with_a_modifier_or_where_it_scrolls(page, ann):
    ann.vote_keys = {"first": ["a", "ArrowRight", "ArrowDown"]}  # stored while arrows could be chosen
    ann.save()
    campaign = make_ready_campaign(ann, text_format="markdown")
    Candidate.objects.update(text=f"```\n{'wide ' * 200}\n```\n\n" + "long\n\n" * 100)
    page.set_viewport_size(PHONE)  # where the page itself scrolls
    open_pair(page, campaign)

    for key in ("Shift+A", "Control+a", "Shift+ArrowRight", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    page.wait_for_function("() => scrollY > 0")
    page.locator(".texts pre").first.click()
    page.keyboard.press("ArrowRight")
    press_and_wait(page, "b")

    assert [choice for *_, choice in answers()] == ["second"]
