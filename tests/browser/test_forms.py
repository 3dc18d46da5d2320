"""Forms that start something, pressed by impatient people."""

from django.urls import reverse
from playwright.sync_api import expect

from tests.factories import make_dataset

PRESS_TWICE = """button => {
    const sent = [];
    const note = event => {
        sent.push(!event.defaultPrevented);
        event.preventDefault();
    };
    addEventListener("submit", note);
    button.click();
    button.click();
    removeEventListener("submit", note);
    return sent;
}"""


def test_a_form_is_sent_once_until_a_setting_changes(page, sign_in):
    sign_in("researcher")
    page.goto(reverse("run-new", args=[make_dataset().pk]))
    page.get_by_text("More settings").click()
    start = page.get_by_role("button", name="Start the run")
    expect(start).to_be_enabled()

    assert start.evaluate(PRESS_TWICE) == [True, False]
    with page.expect_response(page.url):
        page.get_by_label("Seed").fill("1")
    expect(start).to_be_enabled()

    assert start.evaluate(PRESS_TWICE) == [True, False]
    expect(page.locator("form[data-once]")).to_have_attribute("aria-busy", "true")
