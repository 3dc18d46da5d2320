"""Signing in, and what everybody sees first."""

from tests.browser.looks import violations
from tests.factories import make_user


def test_sign_in_leads_to_the_page_that_was_asked_for(page):
    make_user("rita", "researcher")

    page.goto("/datasets/")
    page.get_by_label("Name").fill("rita")
    page.get_by_label("Password").fill("rita")
    page.get_by_role("button", name="Sign in").click()

    assert page.get_by_role("heading", level=1).inner_text() == "Datasets"


def test_sign_in_page_passes_axe(page):
    page.goto("/account/sign-in/")

    assert violations(page) == []


def test_skip_link_is_the_first_thing_the_keyboard_reaches(page, sign_in):
    sign_in("researcher")
    page.goto("/datasets/")

    page.keyboard.press("Tab")

    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
