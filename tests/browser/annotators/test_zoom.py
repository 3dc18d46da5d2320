"""The pages of annotators at 400 % zoom: a window of 1280 × 1024 pixels is then 320 × 256 wide and high."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from judging.models import Candidate
from tests.browser.looks import violations
from tests.browser.voting import open_pair, press_and_wait, rest
from tests.campaigns import make_ready_campaign, vote

ZOOMED = {"width": 320, "height": 256}
MOST_STOPS = 80
SIZE = ("width", "height", "y")
SIDEWAYS = """() => [document.documentElement, ...document.querySelectorAll("main :not(.visually-hidden)")]
    .filter(element => element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 1)
    .filter(element => element.matches("html") || getComputedStyle(element).overflowX !== "visible")
    .map(element => element.outerHTML.slice(0, 100))"""
"""Elements that scroll sideways."""
COVERED = """() => {
    const element = document.activeElement;
    if (element.matches("h1, main, body")) return "";
    const { left, top, width, height } = element.getBoundingClientRect();
    const start = Math.max(top, 0);
    const x = left + Math.min(width / 2, 40), y = start + Math.min(height, innerHeight - start) / 2;
    const upmost = document.elementFromPoint(x, y);
    return element.contains(upmost) ? "" : `${element.outerHTML.slice(0, 100)} at ${Math.round(y)}`;
}"""
"""The focused element if something covers its beginning, or if it is out of view."""


@pytest.fixture
def zoomed(page) -> Page:
    page.set_viewport_size(ZOOMED)
    return page


def covered_stops(page: Page) -> Iterator[str]:
    """Press Tab through the page, and yield each element that has the focus and cannot be seen."""
    for _ in range(MOST_STOPS):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement === document.body"):
            return
        if covered := page.evaluate(COVERED):
            yield covered
    raise AssertionError(f"the page has more than {MOST_STOPS} stops")


@pytest.mark.parametrize("address", ["guidelines/", "annotate/", "votes/", "votes/KEY/"])
def test_no_page_scrolls_sideways_and_the_focus_stays_in_view(zoomed, campaign, ann, address):
    key = str(vote(campaign, ann).assignment.key)
    Candidate.objects.update(text=f"A word without an end: {'library' * 40}. " * 10)

    zoomed.goto(f"/campaigns/{campaign.pk}/{address.replace('KEY', key)}")

    assert zoomed.evaluate(SIDEWAYS) == []
    assert list(covered_stops(zoomed)) == []
    assert violations(zoomed) == []


def test_a_page_with_every_answer_and_detail_fits(zoomed, ann):
    campaign = make_ready_campaign(
        ann, allow_both_bad=True, allow_cannot_judge=True, strength_levels=5, confidence_levels=5, take_comments=True
    )
    open_pair(zoomed, campaign)
    zoomed.locator("summary", has_text="Skip").click()

    assert zoomed.evaluate(SIDEWAYS) == []
    assert list(covered_stops(zoomed)) == []


def test_buttons_follow_the_texts_and_a_vote_leads_to_the_top_of_the_next_pair(zoomed, campaign):
    open_pair(zoomed, campaign)
    bar, texts = (zoomed.locator(part).bounding_box() for part in (".vote-bar", ".texts"))
    zoomed.get_by_role("button", name="Summary 2").scroll_into_view_if_needed()

    press_and_wait(zoomed, "b")

    assert bar["y"] >= texts["y"] + texts["height"]
    expect(zoomed.get_by_role("heading", level=1)).to_be_in_viewport()


def test_a_message_without_a_network_is_seen_where_the_buttons_are(zoomed, campaign):
    open_pair(zoomed, campaign)
    zoomed.context.set_offline(True)

    zoomed.get_by_role("button", name="Summary 2").click()

    expect(zoomed.get_by_role("status").filter(has_text="Not saved yet")).to_be_in_viewport()
    zoomed.context.set_offline(False)
    expect(zoomed.locator(".so-far label")).to_contain_text("1 of 12 done")
    rest(zoomed)


def test_both_texts_have_buttons_of_one_size_without_ties(page, ann):
    open_pair(page, make_ready_campaign(ann, allow_ties=False))

    assert sizes_of_buttons_differ(page) == []


@pytest.mark.parametrize("rules", [{}, {"allow_both_bad": True}, {"allow_both_bad": True, "allow_cannot_judge": True}])
def test_both_texts_have_buttons_of_one_size_and_each_stands_below_its_text(page, ann, rules):
    open_pair(page, make_ready_campaign(ann, **rules))

    assert sizes_of_buttons_differ(page) == []
    buttons = [page.get_by_role("button", name=f"Summary {side}").bounding_box() for side in (1, 2)]
    texts = [page.get_by_role("region", name=f"Summary {side}").bounding_box() for side in (1, 2)]
    assert round(buttons[0]["x"]) == round(texts[0]["x"])
    assert round(right(buttons[1])) == round(right(texts[1]))
    assert right(buttons[0]) <= right(texts[0])
    assert buttons[1]["x"] >= texts[1]["x"]


def sizes_of_buttons_differ(page: Page) -> list[int]:
    """Return the widths of windows, a desktop last, at which the buttons of the two texts differ in size or height."""
    found = []
    for width in (320, 390, 1280):
        page.set_viewport_size({"width": width, "height": 844})
        first, second = (page.get_by_role("button", name=f"Summary {side}").bounding_box() for side in (1, 2))
        found += [width] * ([round(first[part]) for part in SIZE] != [round(second[part]) for part in SIZE])
    return found


def right(box: dict[str, float]) -> float:
    """Return the position of the right edge."""
    return box["x"] + box["width"]
