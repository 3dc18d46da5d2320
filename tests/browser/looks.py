"""Checks of a page's look: `faults(page, address)`, `violations(page)`."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.voting import DESKTOP

SMALL_PHONE = {"width": 360, "height": 740}
VIOLATIONS = """async ([within, options]) => {
    const found = await axe.run(within ? { include: [[within]] } : document, options);
    return found.violations.flatMap(rule =>
        rule.nodes.map(node => `${rule.id}: ${node.target} ${node.html.slice(0, 120)}`));
}"""
"""Only lines leave the page: all that axe reports takes as long to hand over as to find."""
OPEN = "folds => folds.forEach(fold => { fold.open = true; fold.dataset.wasClosed = ''; })"
"""Axe leaves out what is in a closed fold."""
WAS_CLOSED = "details[data-was-closed]"
COLOURS = (
    """() => [...new Set([...document.querySelectorAll("body, body *")].map(one => getComputedStyle(one).color))]"""
)
CLOSE = "folds => folds.forEach(fold => { fold.open = false; })"


def violations(page: Page, *, only: str = "", within: str = "") -> list[str]:
    """Return the violations that axe reports, one line for each element. only: the one rule. within: a selector."""
    options = {"resultTypes": ["violations"]} | ({"runOnly": [only]} if only else {})
    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    return page.evaluate(VIOLATIONS, [within, options])


def violations_in_both_schemes(page: Page) -> list[str]:
    """Return the violations that axe reports in light mode, and those of contrast in dark mode."""
    page.emulate_media(color_scheme="light")
    return violations(page) + dark_violations(page)


def dark_violations(page: Page, within: str = "") -> list[str]:
    """Return the violations of contrast that axe reports in dark mode."""
    page.emulate_media(color_scheme="dark")
    return [f"in the dark, {line}" for line in violations(page, only="color-contrast", within=within)]


def dark_on_paper(page: Page) -> list[str]:
    """Return the colours of text that a dark page has on paper and a light one lacks on screen."""
    page.emulate_media(color_scheme="light")
    on_screen = set(page.evaluate(COLOURS))
    page.emulate_media(media="print", color_scheme="dark")
    found = [f"in print, text is {colour}" for colour in page.evaluate(COLOURS) if colour not in on_screen]
    page.emulate_media(media="screen", color_scheme="light")
    return found


def faults(page: Page, address: str) -> list[str]:
    """Return the faults of a page: too wide for the small phone that loads it, or violations there or on a desktop.

    The phone is dark and the desktop light: no colour depends on the width. What the phone had folded is looked at in
    the dark, too.
    """
    page.set_viewport_size(SMALL_PHONE)
    page.emulate_media(color_scheme="dark")
    visit(page, address)
    wide = page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    on_phone = [f"on a dark phone, {line}" for line in violations(page)]
    page.set_viewport_size(DESKTOP)
    page.emulate_media(color_scheme="light")
    page.locator("details:not([open])").evaluate_all(OPEN)
    on_desktop = violations(page)
    if page.locator(f"{WAS_CLOSED}:visible").count():
        on_desktop += dark_violations(page, WAS_CLOSED)
    on_desktop += dark_on_paper(page)
    page.locator(WAS_CLOSED).evaluate_all(CLOSE)
    return ["wider than a small phone"] * wide + on_phone + on_desktop


def visit(page: Page, address: str) -> None:
    """Open a page and wait for the parts that it loads, and for its chart, where it has one."""
    page.goto(address)
    page.wait_for_load_state("networkidle")
    if page.locator("figure.chart").count():
        expect(page.locator("figure.chart svg").first).to_be_visible()
