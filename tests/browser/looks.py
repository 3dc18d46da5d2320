"""Checks of a page's look: `faults(page, address)`, `violations(page)`."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.voting import DESKTOP

SMALL_PHONE = {"width": 360, "height": 740}
LINES = """const lines = found => found.violations.flatMap(rule =>
    rule.nodes.map(node => `${rule.id}: ${node.target} ${node.html.slice(0, 120)}`));"""
VIOLATIONS = f"async options => {{ {LINES} return lines(await axe.run(document, options)); }}"
"""Only lines leave the page: all that axe reports takes as long to hand over as to find."""
OPEN = "folds => folds.forEach(fold => { fold.open = true; fold.dataset.wasClosed = ''; })"
"""Axe leaves out what is in a closed fold."""
NO_CONTRAST = {"rules": {"color-contrast": {"enabled": False}}}
CONTRAST = """async decided => {
    const ways = new Map();
    const way = one => {  // its tag, classes and what is drawn below its text, with all elements around it
        if (!one) return "";
        if (!ways.has(one)) {
            const style = getComputedStyle(one);
            ways.set(one, hash([way(one.parentElement), one.localName, one.getAttribute("class"), style.backgroundColor,
                style.backgroundImage, style.opacity, style.filter, style.mixBlendMode, style.position].join("|")));
        }
        return ways.get(one);
    };
    const hash = text => {
        let [one, other] = [17, 31];
        for (let i = 0; i < text.length; i++) {
            one = Math.imul(one ^ text.charCodeAt(i), 16777619);
            other = Math.imul(other + text.charCodeAt(i), 2246822507) ^ (other >>> 13);
        }
        return `${one} ${other}`;
    };
    const looks = new Map(), known = new Set(decided), fresh = {};
    for (const one of document.querySelectorAll("body *")) {
        const has_text = [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim());
        if (!has_text && !one.matches("input, select, textarea")) continue;
        if (!one.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
        const style = getComputedStyle(one);
        const look = hash([way(one), style.color, style.fontSize, style.fontWeight, style.textShadow].join("|"));
        if (known.has(look)) continue;
        looks.set(one, look);
        (fresh[look] ??= []).push(one);
    }
    const include = Object.values(fresh).flatMap(alike => [...new Set([alike[0], alike.at(-1)])]);
    if (!include.length) return [[], []];
    const options = { runOnly: ["color-contrast"], resultTypes: ["violations", "passes"], elementRef: true };
    const found = await axe.run({ include }, options);
    const nodes = [...found.violations, ...found.passes].flatMap(rule => rule.nodes);
    LINES
    return [lines(found), [...new Set(nodes.map(node => looks.get(node.element)))]];
}""".replace("LINES", LINES)
WAS_CLOSED = "details[data-was-closed]"
COLOURS = (
    """() => [...new Set([...document.querySelectorAll("body, body *")].map(one => getComputedStyle(one).color))]"""
)
QUIET = """() => {
    const loaded = performance.getEntriesByType("navigation")[0].loadEventEnd;
    const ends = performance.getEntriesByType("resource").map(one => one.responseEnd);
    const asks = document.querySelector(".htmx-request") || !loaded;
    return !asks && performance.now() - Math.max(loaded, ...ends) > 100;
}"""
"""A page asks for parts as soon as it, or the part that holds them, is there."""
CLOSE = "folds => folds.forEach(fold => { fold.open = false; })"


def violations(page: Page, options: dict[str, object] | None = None) -> list[str]:
    """Return the violations that axe reports, one line for each element."""
    load_axe(page)
    return page.evaluate(VIOLATIONS, {"resultTypes": ["violations"]} | (options or {}))


def load_axe(page: Page) -> None:
    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)


def violations_in_both_schemes(page: Page) -> list[str]:
    """Return the violations that axe reports in light mode, and those of contrast in dark mode."""
    page.emulate_media(color_scheme="light")
    on_screen = violations(page)
    page.emulate_media(color_scheme="dark")
    return on_screen + [f"in the dark, {line}" for line in violations(page, {"runOnly": ["color-contrast"]})]


def faint_texts(page: Page, decided: set[str]) -> list[str]:
    """Return the violations of contrast that axe reports, for each look of text on which it has not decided before.

    Texts look alike if their elements and all around them have the same tags, classes, colours and backgrounds. Of
    those on a page, axe takes the first and the last.
    """
    load_axe(page)
    lines, looks = page.evaluate(CONTRAST, list(decided))
    decided.update(looks)
    return lines


def dark_on_paper(page: Page) -> list[str]:
    """Return the colours of text that a dark page has on paper and a light one lacks on screen."""
    page.emulate_media(color_scheme="light")
    on_screen = set(page.evaluate(COLOURS))
    page.emulate_media(media="print", color_scheme="dark")
    found = [f"in print, text is {colour}" for colour in page.evaluate(COLOURS) if colour not in on_screen]
    page.emulate_media(media="screen", color_scheme="light")
    return found


def faults(page: Page, address: str, decided: set[str] | None = None) -> list[str]:
    """Return the faults of a page: too wide for the small phone that loads it, or violations there or on a desktop.

    The phone is dark. The desktop is light, then dark: no colour depends on the width. decided: the looks of text on
    which axe has decided before, which looks at their contrast no more.
    """
    decided = set() if decided is None else decided
    page.set_viewport_size(SMALL_PHONE)
    page.emulate_media(color_scheme="dark")
    visit(page, address)
    wide = page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    on_phone = violations(page, NO_CONTRAST) + faint_texts(page, decided)
    page.set_viewport_size(DESKTOP)
    page.emulate_media(color_scheme="light")
    page.locator("details:not([open])").evaluate_all(OPEN)
    on_desktop = violations(page, NO_CONTRAST) + faint_texts(page, decided)
    page.emulate_media(color_scheme="dark")
    in_the_dark = faint_texts(page, decided)
    found = [*(f"on a dark phone, {line}" for line in on_phone), *on_desktop]
    found += [*(f"in the dark, {line}" for line in in_the_dark), *dark_on_paper(page)]
    page.locator(WAS_CLOSED).evaluate_all(CLOSE)
    return ["wider than a small phone"] * wide + found


def visit(page: Page, address: str) -> None:
    """Open a page and wait for the parts that it loads, and for its chart, where it has one."""
    page.goto(address)
    page.locator("main").wait_for(state="attached")  # a script draws the description of the API
    page.wait_for_function(QUIET, polling=50)
    if page.locator("figure.chart").count():
        expect(page.locator("figure.chart svg").first).to_be_visible()
