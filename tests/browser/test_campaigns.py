"""Pages of campaigns in a real browser: where things stand, and how large they are."""

import pytest
from playwright.sync_api import expect

from judging.models import Candidate, Context, Vote
from judging.services.campaigns.guidelines import change_guidelines
from tests.browser.looks import faults
from tests.browser.voting import DESKTOP, PHONE, open_pair, press_and_wait, rest
from tests.campaigns import make_ready_campaign, vote


def test_folding_the_context_lasts_for_the_next_pairs(page, campaign):
    open_pair(page, campaign)
    page.locator("summary", has_text="Context").click()

    press_and_wait(page, "a")

    expect(page.get_by_role("region", name="Context")).to_be_hidden()


def test_the_vote_bar_stands_still_for_texts_of_any_length(page, campaign):
    places = set()
    for number in (1, 60, 5):
        Candidate.objects.update(text="It reads as one text. " * number)
        Context.objects.update(text="The council voted. " * number)
        open_pair(page, campaign)
        places.add(tuple(page.locator(".vote-bar").bounding_box().values()))

    assert len(places) == 1


def test_long_texts_end_above_the_buttons_on_a_desktop(page, campaign):
    Candidate.objects.update(text="It reads as one text. " * 400)
    open_pair(page, campaign)

    for height in (650, 800, 1024):
        page.set_viewport_size({"width": 1280, "height": height})
        texts, bar = page.locator(".texts").bounding_box(), page.locator(".vote-bar").bounding_box()
        assert texts["y"] + texts["height"] <= bar["y"]


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_strength_confidence_and_comment_are_in_view_with_long_texts(page, ann, size):
    campaign = make_ready_campaign(ann, allow_both_bad=True, strength_levels=5, confidence_levels=5, take_comments=True)
    Candidate.objects.update(text="It reads as one text. " * 400)
    page.set_viewport_size(size)
    open_pair(page, campaign)

    bar, buttons = (page.locator(f".vote-bar{part}").bounding_box() for part in ("", " .choice >> nth=0"))
    for asked in ("How much better?", "How sure are you?"):
        box = page.get_by_role("group", name=asked).bounding_box()
        assert bar["y"] <= box["y"] < box["y"] + box["height"] <= buttons["y"]
        page.get_by_role("group", name=asked).get_by_label("5").check(timeout=1000)
    page.get_by_label("Comment").fill("A fact is wrong.")
    if size == PHONE:
        page.get_by_role("button", name="Read 2").click()
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    last = page.get_by_role("region", name="Summary 2").bounding_box()
    assert last["y"] + last["height"] <= bar["y"]


def test_an_enlarged_passage_stays_large_for_the_next_pairs(page, campaign):
    open_pair(page, campaign)
    passage = page.get_by_role("region", name="Context")
    small = passage.bounding_box()["height"]

    page.get_by_role("button", name="Whole context").click()
    large = passage.bounding_box()["height"]
    press_and_wait(page, "a")
    after_a_vote = passage.bounding_box()["height"]
    page.reload()
    rest(page)
    after_a_reload = passage.bounding_box()["height"]
    page.get_by_role("button", name="Whole context").click()

    assert large > 1.5 * small
    assert (after_a_vote, after_a_reload) == (large, large)
    assert passage.bounding_box()["height"] == small


def test_texts_stand_side_by_side_on_a_desktop_and_one_at_a_time_on_a_phone(page, campaign):
    tops = {}
    open_pair(page, campaign)
    expect(page.get_by_role("button", name="Read 1")).to_be_hidden()
    for name, size in (("desktop", DESKTOP), ("phone", PHONE)):
        page.set_viewport_size(size)
        tops[name] = [box.bounding_box()["y"] for box in page.locator(".texts .passage").all() if box.is_visible()]
        bar = page.locator(".vote-bar").bounding_box()
        assert bar["y"] + bar["height"] <= size["height"]

    assert tops["desktop"][0] == tops["desktop"][1]
    assert len(tops["phone"]) == 1


def test_everything_that_is_pressed_is_large_enough_to_hit(page, campaign, ann):
    vote(campaign, ann)
    page.set_viewport_size(PHONE)
    open_pair(page, campaign)
    page.locator("summary", has_text="Skip").click()

    boxes = [target.bounding_box() for target in page.locator("main :is(button, summary, select, a):visible").all()]

    assert min(min(box["width"], box["height"]) for box in boxes) >= 24


def test_annotator_reads_the_changes_after_the_vote_that_was_under_way(page, campaign):
    open_pair(page, campaign)
    press_and_wait(page, "a")
    change_guidelines(campaign, text="## Look for\n\n- order\n- facts", changed_by=None)

    page.keyboard.press("b")
    page.wait_for_url("**/guidelines/")
    expect(page.get_by_role("insertion")).to_have_text("- facts")
    expect(page.get_by_role("deletion")).to_have_text("- links")
    found = faults(page, page.url)
    page.get_by_role("button", name="I have read the changes").click()
    rest(page)
    press_and_wait(page, "a")

    votes = Vote.objects.order_by("pk")
    assert [vote.assignment.guidelines.version for vote in votes] == [1, 1, 2]
    assert found == []
