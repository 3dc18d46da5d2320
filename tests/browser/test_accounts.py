"""Signing in, and what everybody reaches first."""

from playwright.sync_api import expect

from tests.factories import make_user


def test_sign_in_leads_to_the_page_that_was_asked_for_and_its_first_stop_skips_to_the_content(page):
    make_user("rita", "researcher")

    page.goto("/datasets/")
    page.get_by_label("Name").fill("rita")
    page.get_by_label("Password").fill("rita")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Datasets")
    page.keyboard.press("Tab")

    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
