"""A second factor in a real browser: a key of a virtual authenticator, and pages without problems for axe."""

import pytest

from judging.models import Activity
from tests.browser.looks import violations
from tests.factories import make_user


@pytest.fixture
def key(page):
    """A security key that is plugged into the browser."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    options = {"protocol": "ctap2", "transport": "usb", "hasUserVerification": True, "isUserVerified": True}
    session.send("WebAuthn.addVirtualAuthenticator", {"options": options | {"automaticPresenceSimulation": True}})
    yield
    session.send("WebAuthn.disable")


def sign_in_by_form(page):
    page.goto("/account/sign-in/")
    page.get_by_label("Name").fill("rita")
    page.get_by_label("Password", exact=True).fill("rita")
    page.get_by_role("button", name="Sign in").click()


def heading(page):
    return page.get_by_role("heading", level=1).inner_text()


def test_person_adds_a_key_and_signs_in_with_it(page, key):
    make_user("rita", "researcher")
    sign_in_by_form(page)

    page.goto("/account/second-factor/keys/")
    page.get_by_label("Password").fill("rita")
    page.get_by_role("button", name="Confirm").click()
    page.get_by_label("Name").fill("Blue key")
    page.get_by_role("button", name="Add the key").click()
    page.wait_for_url("**/codes/")
    codes = (heading(page), len(page.locator("pre").inner_text().split()))
    page.get_by_role("button", name="Sign out").click()
    sign_in_by_form(page)
    asked = heading(page)
    page.get_by_role("button", name="Use a key").click()
    page.wait_for_url(lambda address: "/account/" not in address)
    page.goto("/account/second-factor/")

    assert (codes, asked) == (("Recovery codes", 10), "Second factor")
    assert page.get_by_role("link", name="Remove Blue key").is_visible()
    assert set(Activity.objects.values_list("action", flat=True)) == {"sign-in", "change"}


def test_pages_of_second_factors_pass_axe(page, sign_in):
    person = sign_in("researcher")
    found = {}
    for address in ("/account/second-factor/", "/account/second-factor/app/", "/account/second-factor/keys/"):
        page.goto(address)
        if page.url.count("/confirm/"):
            found["confirm"] = violations(page)
            page.get_by_label("Password").fill(person.username)
            page.get_by_role("button", name="Confirm").click()
        found[address] = violations(page)

    assert {name: problems for name, problems in found.items() if problems} == {}
    assert "/account/second-factor/keys/" in page.url
