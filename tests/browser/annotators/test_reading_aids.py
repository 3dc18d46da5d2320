"""Reading aids: word differences, and texts that scroll together."""

from playwright.sync_api import expect

from judging.models import Assignment, Candidate, Vote
from tests.browser.looks import violations_in_both_schemes
from tests.browser.voting import answers, open_pair, press_and_wait, rest, shown_texts
from tests.campaigns import answer


def test_differences_are_underlined_without_leaving_the_pair_and_stored_with_the_vote(page, campaign):
    open_pair(page, campaign)
    texts = shown_texts(page)

    page.keyboard.press("d")
    expect(page.locator("mark").first).to_be_visible()
    expect(page.get_by_role("button", name="Differences")).to_have_attribute("aria-pressed", "true")
    difference = (
        "Underlined: words that do not match the other text in order (1 of 6 in Summary 1, 1 of 6 in Summary 2)."
    )
    expect(page.locator("[data-vote-status]")).to_have_text(difference)
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
