"""A session on two attributes by keyboard: the texts stay, the question changes."""

import pytest
from playwright.sync_api import Page, expect

from judging.models import Assignment, Campaign, Candidate, Context, Vote
from tests.browser.looks import violations
from tests.browser.voting import PHONE, open_pair, press_and_wait, shown_texts
from tests.campaigns import make_ready_campaign
from tests.factories import make_dataset

LONG = "A sentence of a long text. " * 300


@pytest.fixture
def campaign(ann):
    """Two pairs of long texts, on fluency and then coherence."""
    dataset = make_dataset(candidates=(2, 2), attributes=("coherence", "fluency"))
    Context.objects.update(text=LONG)
    for candidate in Candidate.objects.all():
        candidate.text, candidate.system = (
            f"{candidate.key} {candidate.context.key} {LONG}",
            f"zulusystem-{candidate.key}",
        )
        candidate.save()
    attributes = [dataset.attributes.get(name=name) for name in ("fluency", "coherence")]
    questions = {"coherence": "Which hangs together?", "fluency": "Which flows?"}
    return make_ready_campaign(ann, dataset=dataset, attributes=attributes, questions=questions)


def step(page: Page) -> str:
    """The attribute that is marked as the present one."""
    return page.locator(".asked-attributes [aria-current='step']").inner_text()


def test_a_session_on_two_attributes_by_keyboard(page: Page, campaign: Campaign):
    open_pair(page, campaign)
    texts = shown_texts(page)
    expect(page.get_by_role("heading", name="Which flows?")).to_be_visible()
    assert step(page) == "fluency"

    press_and_wait(page, "a")

    assert shown_texts(page) == texts
    assert step(page) == "coherence"
    expect(page.get_by_role("heading", name="Question 2 of 4: Which hangs together?")).to_be_focused()
    press_and_wait(page, "u")
    assert step(page) == "fluency"
    press_and_wait(page, "b")
    press_and_wait(page, "b")
    assert shown_texts(page) != texts
    assert step(page) == "fluency"
    page.keyboard.press("s")
    press_and_wait(page, "4")
    assert step(page) == "coherence"
    press_and_wait(page, "t")
    expect(page.get_by_role("heading", name="Thank you: no pairs left")).to_be_attached()

    assert list(Vote.objects.order_by("voted_at").values_list("attribute__name", "choice")) == [
        ("fluency", "second"),
        ("coherence", "second"),
        ("coherence", "tie"),
    ]
    assert Assignment.objects.get(status="skipped").pair.attribute.name == "fluency"


def test_texts_stay_where_they_were_scrolled_until_they_change(page: Page, campaign: Campaign):
    open_pair(page, campaign)
    text = page.locator(".texts .passage").first
    text.evaluate("box => { box.scrollTop = 120; }")

    press_and_wait(page, "a")
    kept = text.evaluate("box => box.scrollTop")
    press_and_wait(page, "a")

    assert (kept, text.evaluate("box => box.scrollTop")) == (120, 0)


def test_the_page_is_accessible_on_a_desktop_and_on_a_dark_phone(page: Page, campaign: Campaign):
    open_pair(page, campaign)
    assert violations(page) == []

    page.set_viewport_size(PHONE)
    page.emulate_media(color_scheme="dark")

    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
