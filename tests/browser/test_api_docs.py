"""The readable description of the API, under the policy that forbids inline scripts."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.django_db(transaction=True)


def test_api_docs_are_drawn_and_open_an_operation(page, sign_in):
    sign_in("researcher")

    page.goto("/api/docs/")
    page.locator("[data-tag=datasets]").get_by_role("button", name="Expand operation").click()

    operation = page.locator("[id$=datasets_list]")
    expect(operation).to_be_visible()
    operation.get_by_role("button").first.click()
    expect(operation.get_by_text("Responses")).to_be_visible()
