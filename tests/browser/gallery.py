"""The pictures in docs/images/gallery, taken again: `python -m tests.browser.gallery docs/images/gallery`.

Starts the demo on a free port with its own data, collects its recorded runs into a study, and writes one PNG per page:
on a desktop, on a phone and in dark colours. It needs what the demo needs, and a Chromium.
"""

import json
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser.chromium import FLAGS, executable
from tests.browser.screenshots import PHONE, SAMPLE, Camera, running_demo

DESKTOP = {"width": 1200, "height": 760}


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="evenhand-gallery-") as data, running_demo(Path(data)) as address:
        passwords = json.loads((Path(data) / "demo-passwords.json").read_text())
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=executable(), args=list(FLAGS))
            research(camera_of(browser, address, folder, "researcher", passwords))
            research_in_the_dark(camera_of(browser, address, folder, "researcher", passwords, color_scheme="dark"))
            voting(camera_of(browser, address, folder, "annotator", passwords))
            voting_on_a_phone(
                camera_of(browser, address, folder, "annotator", passwords, viewport=PHONE, color_scheme="dark")
            )
            browser.close()


def camera_of(
    browser: Browser, address: str, folder: Path, role: str, passwords: dict[str, str], **looks: object
) -> Camera:
    """A camera of a signed-in person. looks: of the browser, such as its color_scheme."""
    page = browser.new_page(**{"base_url": address, "viewport": DESKTOP, "color_scheme": "light"} | looks)
    camera = Camera(page, folder)
    camera.sign_in(role, passwords[role])
    return camera


def research(camera: Camera) -> None:
    page = camera.page
    camera.take("home")
    collect_study(page)
    take_when_drawn(camera, "study-table", "table.figures")
    for tab, name in (("Curves", "study-curves"), ("Systems", "study-systems"), ("Agreement", "study-agreement")):
        page.get_by_role("link", name=tab, exact=True).click()
        take_when_drawn(camera, name, "figure.chart svg")
    page.goto("/campaigns/")
    page.get_by_role("main").get_by_role("link").first.click()
    camera.take("campaign")
    page.goto("/datasets/")
    page.get_by_role("link", name=SAMPLE, exact=True).first.click()
    page.get_by_role("heading", name="Contexts").locator("~ .scroll").get_by_role("link").first.click()
    camera.take("context")


def research_in_the_dark(camera: Camera) -> None:
    page = camera.page
    page.goto("/runs/1/results/")
    take_when_drawn(camera, "results-dark", "figure.chart svg")
    page.get_by_role("link", name="Answers", exact=True).first.click()
    camera.take("answers-dark")


def collect_study(page: Page) -> None:
    """Make a study of all runs of the demo, and open its table."""
    page.goto("/studies/new/")
    page.get_by_label("Name", exact=True).fill("Two prompts on the sample")
    page.get_by_role("checkbox", name="All").check()
    page.get_by_role("button", name="Create study").click()


def take_when_drawn(camera: Camera, name: str, drawn: str) -> None:
    expect(camera.page.locator(drawn).first).to_be_visible(timeout=60_000)
    camera.page.evaluate("window.scrollTo(0, 0)")
    camera.take(name)


def voting(camera: Camera) -> None:
    open_pair(camera.page)
    camera.take("voting")


def voting_on_a_phone(camera: Camera) -> None:
    open_pair(camera.page)
    camera.take("voting-phone-dark")


def open_pair(page: Page) -> None:
    """Open the next pair of the first campaign; accept the guidelines on the way."""
    page.get_by_role("link", name="Vote in").first.click()
    if page.get_by_role("button", name="read").count():
        page.get_by_role("button", name="read").first.click()
    page.wait_for_load_state("networkidle")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
