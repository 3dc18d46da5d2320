"""What is wrong with how a page looks: `faults(page, address)`, `violations(page)`."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.voting import DESKTOP

SMALL_PHONE = {"width": 360, "height": 740}


def violations(page: Page, *, only: str = "") -> list[str]:
    """What axe finds wrong with the page, one line for each element. only: one rule to look at."""
    options = {"resultTypes": ["violations"]} | ({"runOnly": [only]} if only else {})
    found = Axe().run(page, options=options).response["violations"]
    return [f"{rule['id']}: {node['target']} {node['html'][:120]}" for rule in found for node in rule["nodes"]]


def violations_in_both_schemes(page: Page) -> list[str]:
    """What axe finds wrong in the light and, of contrast, in the dark: the rest is the same in both."""
    page.emulate_media(color_scheme="light")
    found = violations(page)
    page.emulate_media(color_scheme="dark")
    return found + [f"in the dark, {line}" for line in violations(page, only="color-contrast")]


def faults(page: Page, address: str) -> list[str]:
    """What is wrong with a page: its width on the small phone that loads it, and on a desktop what axe finds."""
    page.set_viewport_size(SMALL_PHONE)
    visit(page, address)
    wide = page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    page.set_viewport_size(DESKTOP)
    return ["wider than a small phone"] * wide + violations_in_both_schemes(page)


def visit(page: Page, address: str) -> None:
    """The page with its chart drawn, where it has one."""
    page.goto(address)
    if page.locator("figure.chart, .loads").count():
        expect(page.locator("figure.chart svg").first).to_be_visible()
