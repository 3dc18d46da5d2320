"""The documentation and the description of the API in a browser: no breach of the policy, search works."""

import re

from playwright.sync_api import expect

from tests.browser.looks import SMALL_PHONE


def test_docs_search_finds_a_figure(page, docs_site):
    page.goto("/docs/")

    page.get_by_role("textbox", name="Search").press_sequentially("Bradley-Terry")  # the theme listens to keys
    page.locator(".md-search-result__link").first.click()

    expect(page).to_have_url(re.compile(r"/docs/.+"))


def test_docs_fit_a_small_phone(page, docs_site):
    page.set_viewport_size(SMALL_PHONE)
    for address in ("/docs/", "/docs/reference/report/", "/docs/reference/formats/"):
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), address


def test_api_docs_are_drawn_and_open_an_operation(page, sign_in):
    sign_in("researcher")

    page.goto("/api/docs/")
    page.locator("[data-tag=datasets]").get_by_role("button", name="Expand operation").click()

    operation = page.locator("[id$=datasets_list]")
    expect(operation).to_be_visible()
    operation.get_by_role("button").first.click()
    expect(operation.get_by_text("Responses")).to_be_visible()
