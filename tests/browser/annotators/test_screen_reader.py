"""The pages of annotators as a screen reader receives them: Chromium's accessibility tree."""

import re

from playwright.sync_api import expect

from evenhand.formats.recorded.known_pairs import KnownPair
from judging.models import Assignment
from judging.services.campaign_pairs.training import set_training_pairs
from tests.browser.accessibility_tree import (
    Node,
    faults_for_screen_readers,
    focused,
    named,
    names_of,
    read_tree,
    with_role,
)
from tests.browser.voting import answers, open_pair, press_and_wait, rest, shown_texts
from tests.campaigns import answer, make_ready_campaign, vote

QUESTION = "Which summary is more coherent?"


def test_the_voting_page_names_texts_choices_keys_progress_and_the_state_of_switches(page, campaign):
    open_pair(page, campaign)
    texts = shown_texts(page)
    page.keyboard.press("l")

    nodes = read_tree(page)

    assert [named(nodes, "region", f"Summary {side}").text for side in (1, 2)] == texts
    assert names_of(nodes, "heading") == [
        f"Pair 1 of 12: {QUESTION}",
        *("Context", "Guidelines", "Summary 1", "Summary 2"),
    ]
    assert named(nodes, "progressbar", "0 of 12 done").states["valuemax"] == 12
    choices = names_of(nodes, "button")[-3:]
    assert (choices, named(nodes, "group", QUESTION).name) == (["Summary 1", "Tie", "Summary 2"], QUESTION)
    keys = [named(nodes, "button", name).states["keyshortcuts"] for name in ("Summary 1", "Tie")]
    assert keys == ["A", "T"]
    assert named(nodes, "button", "Scroll together").states["pressed"] == "true"
    assert named(nodes, "button", "Differences").states["pressed"] == "false"
    assert faults_for_screen_readers(nodes) == []


def test_after_a_vote_the_heading_of_the_next_pair_has_the_focus_and_the_live_region_says_what_happened(page, campaign):
    open_pair(page, campaign)

    press_and_wait(page, "a")
    nodes = read_tree(page)
    answer(Assignment.objects.get(status="open"), "second")
    press_and_wait(page, "a")
    told = status_in(read_tree(page))
    page.context.set_offline(True)
    page.keyboard.press("a")
    expect(page.get_by_role("status")).to_contain_text("Not saved yet")
    unsent = status_in(read_tree(page))
    page.context.set_offline(False)
    rest(page)

    assert status_in(nodes).states["live"] == "polite"
    assert re.fullmatch(r"Saved \d\d:\d\d:\d\d", status_in(nodes).text)
    assert (focused(nodes).role, focused(nodes).name) == ("heading", f"Pair 2 of 12: {QUESTION}")
    assert told.text.startswith("You already voted on this pair, perhaps in another tab. Your first vote is kept")
    assert "Your answer is kept in this browser and sent again." in unsent.text


def status_in(nodes: list[Node]) -> Node:
    """Return the live region."""
    (status,) = with_role(nodes, "status")
    return status


def test_the_skip_form_and_the_keys_are_named_and_receive_the_focus(page, campaign):
    open_pair(page, campaign)

    page.keyboard.press("s")
    form = read_tree(page)
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    dialog = read_tree(page)
    page.keyboard.press("a")
    page.keyboard.press("Escape")

    assert named(form, "DisclosureTriangle", "Skip").states["expanded"] is True
    assert named(form, "group", "Why do you skip this pair?")
    assert focused(form).name == "A text is missing or broken"
    assert faults_for_screen_readers(form) == []
    assert named(dialog, "dialog", "Keys").states["modal"] is True
    assert named(dialog, "rowheader", "Undo the last answer")
    assert "Summary 1" not in names_of(dialog, "button")  # the dialog hides the page behind
    assert focused(dialog).name == "Close"
    expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()
    assert answers() == []


def test_every_level_of_strength_has_a_name_within_its_group(page, ann):
    campaign = make_ready_campaign(ann, allow_both_bad=True, strength_levels=3, confidence_levels=2, take_comments=True)
    open_pair(page, campaign)

    nodes = read_tree(page)

    assert names_of(nodes, "radio") == ["not given", "1", "2", "3", "not given", "1", "2"]
    assert [node.states["checked"] for node in with_role(nodes, "radio")][:2] == ["true", "false"]
    assert names_of(nodes, "textbox") == ["Comment (optional)"]
    assert names_of(nodes, "button")[-4:] == ["Summary 1", "Tie", "Both bad", "Summary 2"]
    assert faults_for_screen_readers(nodes) == []


def test_a_vote_that_is_changed_is_a_pressed_choice(page, campaign, ann):
    mine = vote(campaign, ann, "tie")
    page.goto(f"/campaigns/{campaign.pk}/votes/{mine.assignment.key}/")

    nodes = read_tree(page)

    choices = ("Summary 1", "Tie", "Summary 2")
    assert [named(nodes, "button", choice).states["pressed"] for choice in choices] == ["false", "true", "false"]
    assert faults_for_screen_readers(nodes) == []


def test_own_answers_have_a_heading_each_and_controls_that_say_which_answer(page, campaign, ann):
    open_pair(page, campaign)
    press_and_wait(page, "a")
    for reason in ("3", "4"):
        page.keyboard.press("s")
        press_and_wait(page, reason)
    press_and_wait(page, "b")
    page.get_by_role("link", name="Your votes").click()
    expect(page.get_by_role("heading", name="Your votes")).to_be_visible()

    nodes = read_tree(page)

    headings = [heading.rsplit(" ", 5)[0] for heading in names_of(nodes, "heading")[1:]]  # without date and time
    skipped = ["Skipped: I cannot decide", "Skipped: I do not know enough about the subject"]
    assert headings == ["Summary 2", *skipped, "Summary 1"]
    assert len([name for name in names_of(nodes, "link") if name.startswith("Change the vote of ")]) == 2
    assert len([name for name in names_of(nodes, "button") if name.startswith("Vote now on the pair of ")]) == 2
    assert faults_for_screen_readers(nodes) == []


def test_feedback_of_the_training_has_the_focus_and_stands_in_the_title(page, campaign):
    context = campaign.dataset.contexts.order_by("position").first()
    keys = context.candidates.order_by("position").values_list("key", flat=True)[:2]
    set_training_pairs(campaign, [KnownPair(context.key, *keys, "tie", "Both name the place.")])
    page.goto(f"/campaigns/{campaign.pk}/training/")
    before = read_tree(page)

    page.get_by_role("button", name="Summary 2").click()
    expect(page.get_by_text("Not quite.")).to_be_visible()
    after = read_tree(page)

    assert page.title() == "Not quite · Training 1 of 1 · Evenhand"
    assert focused(after).text.startswith("Not quite. Your answer: Summary 2. Expected: Tie. Both name the place.")
    assert faults_for_screen_readers(before) + faults_for_screen_readers(after) == []


def test_guidelines_have_named_controls_and_headings_in_order(page, campaign):
    page.goto(f"/campaigns/{campaign.pk}/guidelines/")

    assert faults_for_screen_readers(read_tree(page)) == []
