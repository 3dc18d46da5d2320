"""Voting in a real browser: by keyboard, by button, without scripts, without a network."""

from playwright.sync_api import expect

from judging.models import Assignment, Candidate, Vote
from judging.services.campaigns.campaign_setup import set_annotators
from judging.services.campaigns.campaign_states import change_state
from tests.browser.looks import violations_in_both_schemes
from tests.browser.voting import PHONE, answers, open_pair, press_and_wait, rest, shown_texts
from tests.campaigns import answer, make_ready_campaign, vote

PRESS_AS_THE_NEXT_PAIR_APPEARS = """key => {
    const press = () => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    document.addEventListener("pairshown", () => setTimeout(press), { once: true });
}"""
"""A script of the page presses the key, because a press from outside may come too late on a slow machine."""


def test_keys_vote_and_store_the_sides_as_shown(page, campaign):
    open_pair(page, campaign)

    expected = []
    for key, choice in (("a", "first"), ("ArrowRight", "second"), ("t", "tie"), ("2", "second"), ("0", "tie")):
        expected.append((*shown_texts(page), choice))
        press_and_wait(page, key)

    assert answers() == expected
    assert Vote.objects.filter(seconds=None).count() == 0


def test_time_on_task_leaves_out_the_time_for_which_the_page_was_hidden(page, campaign):
    page.clock.install()
    open_pair(page, campaign)
    hide = """hidden => {
        Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
    }"""

    page.clock.fast_forward(3_000)
    page.evaluate(hide, True)
    page.clock.fast_forward(500_000)
    page.evaluate(hide, False)
    page.clock.fast_forward(1_000)
    press_and_wait(page, "a")

    assert 4 <= Vote.objects.get().seconds < 500


def test_a_vote_moves_the_focus_to_the_next_pair_and_says_that_it_is_saved(page, campaign):
    open_pair(page, campaign)

    press_and_wait(page, "b")

    assert page.evaluate("document.activeElement.id") == "pair"
    expect(page.get_by_role("status")).to_contain_text("Saved")
    expect(page.get_by_role("status")).to_contain_text("Pair 2 of 12: Which summary is more coherent?")
    expect(page.locator(".latest")).to_contain_text("Saved")


def test_undo_brings_the_same_pair_back_with_the_same_sides(page, campaign):
    open_pair(page, campaign)
    texts = shown_texts(page)
    press_and_wait(page, "a")

    press_and_wait(page, "u")

    assert shown_texts(page) == texts
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


def test_reload_shows_the_same_pair_and_sides(page, campaign):
    open_pair(page, campaign)
    texts = shown_texts(page)

    page.reload()

    assert shown_texts(page) == texts


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


def test_a_vote_without_a_network_is_kept_and_sent_when_there_is_one(page, campaign):
    open_pair(page, campaign)
    page.context.set_offline(True)

    page.keyboard.press("a")
    expect(page.get_by_role("status")).to_contain_text("Not saved yet")
    assert answers() == []
    page.context.set_offline(False)

    expect(page.locator(".so-far label")).to_contain_text("1 of 12 done")
    assert Vote.objects.count() == 1
    assert page.evaluate("localStorage.length") == 0


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
    assert answers() == []
    change_state(campaign, state="open")
    page.goto(f"/campaigns/{campaign.pk}/annotate/")

    expect(page.locator(".so-far label")).to_contain_text("1 of 12 done")
    assert [choice for *_, choice in answers()] == ["first"]
    assert page.evaluate("localStorage.length") == 0


def test_time_on_task_survives_a_reload(page, campaign):
    page.clock.install()
    open_pair(page, campaign)
    page.clock.fast_forward(5_000)

    page.reload()
    rest(page)
    press_and_wait(page, "a")

    assert 5 <= Vote.objects.get().seconds < 60


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
    page.context.set_offline(False)
    expect(page.locator(".so-far label")).to_contain_text("1 of 12 done")


def test_a_vote_that_the_network_swallows_is_sent_again(page, campaign):
    open_pair(page, campaign)
    patience = page.evaluate("htmx.config.timeout")
    assert patience == 20_000
    page.evaluate("htmx.config.timeout = 1")
    page.route("**/annotate/vote/", lambda route: None, times=1)

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


def test_a_vote_of_somebody_who_is_signed_out_is_kept_in_the_browser(page, campaign):
    open_pair(page, campaign)
    page.context.clear_cookies()

    page.keyboard.press("a")

    expect(page.get_by_role("status")).to_contain_text("your answer is kept")
    assert page.evaluate("localStorage.length") == 1


def test_voting_works_without_scripts(page, campaign, chromium, live_server):
    context = chromium.new_context(
        base_url=live_server.url, java_script_enabled=False, storage_state=page.context.storage_state()
    )
    plain = context.new_page()
    plain.goto(f"/campaigns/{campaign.pk}/annotate/")
    texts = shown_texts(plain)

    plain.get_by_role("button", name="Summary 2").click()
    expect(plain.locator(".so-far label")).to_contain_text("1 of 12 done")
    voted = answers()
    plain.get_by_role("button", name="Undo").click()
    expect(plain.locator(".so-far label")).to_contain_text("0 of 12 done")
    plain.locator("summary", has_text="Skip").click()
    plain.get_by_role("button", name="I cannot decide").click()
    expect(plain.locator(".latest")).to_contain_text("Skipped")
    context.close()

    assert voted == [(*texts, "second")]
    assert answers() == []


def test_differences_are_underlined_without_leaving_the_pair_and_stored_with_the_vote(page, campaign):
    open_pair(page, campaign)
    texts = shown_texts(page)

    page.keyboard.press("d")
    expect(page.locator("mark").first).to_be_visible()
    expect(page.get_by_role("button", name="Differences")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("[data-vote-status]")).to_contain_text("Underlined words are only in this text")
    underlined = page.locator("mark").first.evaluate("mark => getComputedStyle(mark).textDecorationLine")
    faults = violations_in_both_schemes(page)
    page.keyboard.press("d")
    expect(page.locator("mark")).to_have_count(0)
    press_and_wait(page, "a")

    assert (faults, underlined) == ([], "underline")
    assert answers() == [(*texts, "first")]
    assert Vote.objects.get().reading_aids == "differences"


def test_differences_work_on_the_pair_that_follows_a_vote(page, campaign):
    open_pair(page, campaign)
    press_and_wait(page, "a")

    page.get_by_role("button", name="Differences").click()
    expect(page.locator("mark").first).to_be_visible()
    press_and_wait(page, "b")

    assert list(Vote.objects.order_by("pk").values_list("reading_aids", flat=True)) == ["", "differences"]


def test_differences_of_a_pair_that_was_answered_in_another_tab_show_the_next_pair_as_a_whole(page, campaign):
    open_pair(page, campaign)
    texts = shown_texts(page)
    answer(Assignment.objects.get())

    page.get_by_role("button", name="Differences").click()
    expect(page.locator(".latest")).to_contain_text("Saved")
    rest(page)

    following = shown_texts(page)
    press_and_wait(page, "b")

    assert following != texts
    assert answers() == [(*texts, "first"), (*following, "second")]


def test_texts_scroll_together_while_the_switch_is_on_and_the_vote_says_so(page, campaign):
    for number, candidate in enumerate(Candidate.objects.all(), start=1):
        candidate.text = f"It reads as text {number}. " * 200 * number
        candidate.save()
    open_pair(page, campaign)
    first, second = page.locator(".texts .passage").all()
    share = "text => text.scrollTop / (text.scrollHeight - text.clientHeight)"
    scroll = "(text, share) => { text.scrollTop = share * (text.scrollHeight - text.clientHeight); }"

    page.keyboard.press("l")
    first.evaluate(scroll, 0.5)
    expect(page.locator("[data-scrolled-together]")).to_have_value("on")
    followed = second.evaluate(share)
    press_and_wait(page, "a")
    kept = page.get_by_role("button", name="Scroll together").get_attribute("aria-pressed")
    page.keyboard.press("l")
    page.locator(".texts .passage").first.evaluate(scroll, 0.5)
    press_and_wait(page, "a")

    assert (round(followed, 1), kept) == (0.5, "true")
    assert list(Vote.objects.order_by("pk").values_list("reading_aids", flat=True)) == ["scrolling", ""]


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
