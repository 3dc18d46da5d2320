"""Rating single texts in the browser: by keyboard, with undo, skip and change; on a phone; without scripts."""

import pytest
from playwright.sync_api import expect

from judging.models import AnswerEvent, Candidate, HumanScore
from judging.services.campaign_pairs.rating_scales import RatingScale, scale_options
from tests.browser.looks import violations_in_both_schemes
from tests.browser.received import Received
from tests.browser.voting import PHONE, act_and_wait, open_pair, press_and_wait, rest
from tests.campaigns import make_ready_campaign
from tests.factories import make_dataset

SCALE = RatingScale(1, 5, "incoherent", "coherent")


@pytest.fixture
def campaign(ann):
    """Six texts on two attributes, whose systems have names that occur nowhere else."""
    dataset = make_dataset(candidates=(3, 3), attributes=("coherence", "fluency"))
    for candidate in Candidate.objects.all():
        candidate.system = f"zulusystem-{candidate.key}"
        candidate.save()
    scales = scale_options(dict.fromkeys(("coherence", "fluency"), SCALE))
    attributes = list(dataset.attributes.all())
    return make_ready_campaign(ann, dataset=dataset, kind="ratings", attributes=attributes, **scales)


def ratings():
    return list(HumanScore.objects.order_by("pk").values_list("attribute__name", "value"))


def test_digits_rate_one_question_after_the_other_and_no_answer_names_a_system(page, campaign):
    received = Received(page)
    open_pair(page, campaign)
    expect(page.get_by_role("heading", name="How coherent is this summary?")).to_be_visible()
    text = page.locator(".texts .passage").inner_text()

    press_and_wait(page, "4")
    expect(page.get_by_role("heading", name="How fluent is this summary?")).to_be_visible()
    assert page.locator(".texts .passage").inner_text() == text
    press_and_wait(page, "2")

    page.get_by_role("link", name="Your ratings").click()
    expect(page.get_by_role("heading", name="Your ratings")).to_be_visible()
    page.wait_for_load_state("networkidle")

    assert ratings() == [("coherence", 4), ("fluency", 2)]
    assert sum("Summary" in text for _, text in received.texts) >= 2
    assert received.leaks(["zulusystem"]) == []
    assert all(score.assignment.visible_milliseconds for score in HumanScore.objects.all())


def test_undo_skip_and_change_by_keyboard_on_pages_that_pass_axe(page, campaign):
    open_pair(page, campaign)
    faults = violations_in_both_schemes(page)
    press_and_wait(page, "4")
    press_and_wait(page, "u")
    press_and_wait(page, "5")
    page.keyboard.press("s")
    expect(page.get_by_role("group", name="Why do you skip this text?")).to_be_visible()
    press_and_wait(page, "2")

    page.get_by_role("link", name="Your ratings").click()
    faults += violations_in_both_schemes(page)
    page.get_by_role("link", name="Change").click()
    expect(page.get_by_text("Your rating: 5.")).to_be_visible()
    faults += violations_in_both_schemes(page)
    rest(page)
    page.keyboard.press("3")

    expect(page.get_by_text("Your rating is saved as shown here.")).to_be_visible()
    assert faults == []
    assert ratings() == [("coherence", 3)]
    assert [str(event) for event in AnswerEvent.objects.order_by("pk")] == [
        *("rated 4", "reopened", "rated 5", "skipped language", "changed 3")
    ]


def test_rating_by_touch_on_a_phone_names_both_ends(page, campaign):
    page.set_viewport_size(PHONE)
    open_pair(page, campaign)
    expect(page.get_by_role("button", name="1 incoherent")).to_be_visible()

    act_and_wait(page, lambda: page.get_by_role("button", name="5 coherent").click())

    assert ratings() == [("coherence", 5)]
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
