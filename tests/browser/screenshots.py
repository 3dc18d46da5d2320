"""The pictures of the README and the docs, taken again: `python -m tests.browser.screenshots docs/images`.

Starts the demo on a free port with its own data, judges the sample with the demo judge by pages and in a terminal, and
writes one PNG per page. It needs what the demo needs, and a Chromium.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from playwright.sync_api import Page, expect, sync_playwright

from tests.browser.chromium import FLAGS, executable
from tests.browser.terminal import screens_of, write_page
from tests.docs_site import ROOT, build_docs_site
from tests.evenhand.formats.people_tables import pair_with_systems
from tests.servers import free_port

SAMPLE = "Sample"
SIZE = {"width": 1120, "height": 720}
DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 780}
BAR = "━"  # of a progress bar
LARGEST = 150_000  # bytes of a picture
FIRST_PAGE_WITHIN, JUDGED_WITHIN = 120, 600  # seconds


@contextmanager
def running_demo(data: Path) -> Iterator[str]:
    """The address of a demo with its data in a folder; stopped at the end."""
    port = free_port()
    environment = os.environ | {"EVENHAND_DATA": str(data)}
    command = [sys.executable, "manage.py", "demo", "--port", str(port)]
    demo = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    try:
        address = f"http://127.0.0.1:{port}"
        wait_for(address, demo)
        yield address
    finally:
        demo.terminate()
        demo.wait(timeout=30)


def wait_for(address: str, demo: subprocess.Popen) -> None:
    for _ in range(FIRST_PAGE_WITHIN * 2):
        if demo.poll() is not None:
            raise RuntimeError(f"the demo ended with status {demo.returncode}")
        try:
            if httpx.get(f"{address}/healthz").is_success:
                return
        except httpx.TransportError:
            time.sleep(0.5)  # a server that is starting gives no sign to wait for
    raise RuntimeError(f"no page at {address} after {FIRST_PAGE_WITHIN} seconds")


class Camera:
    """Goes through the pages as one person and keeps pictures of them."""

    def __init__(self, page: Page, folder: Path) -> None:
        self.page, self.folder = page, folder

    def sign_in(self, name: str, password: str) -> None:
        self.page.context.clear_cookies()
        self.page.goto("/")
        self.page.get_by_label("Name").fill(name)
        self.page.get_by_label("Password").fill(password)
        self.page.get_by_role("button", name="Sign in").click()

    def take(self, name: str, element: str = "") -> None:
        """Write a picture of the window, or of one element."""
        file = self.folder / f"{name}.png"
        shown = self.page.locator(element) if element else self.page
        shown.screenshot(path=file)
        size = file.stat().st_size
        sys.stdout.write(f"{file} {size // 1000} kB{' (too large)' if size > LARGEST else ''}\n")


def research(camera: Camera) -> None:
    """Take the screenshots from the dataset to the results of a real run."""
    page = camera.page
    page.get_by_role("link", name=SAMPLE, exact=True).first.click()
    expect(page.locator("table.human-judgments")).to_be_visible(timeout=60_000)
    camera.take("dataset")
    page.get_by_role("link", name="Start a run").first.click()
    page.get_by_label("demo", exact=True).check()
    expect(page.get_by_role("button", name="Start the run")).to_be_enabled(timeout=60_000)
    camera.take("new-run")
    page.get_by_role("button", name="Start the run").click()
    expect(page.get_by_text(re.compile(r"^[1-9][\d,]* of [\d,]+ comparisons"))).to_be_visible(timeout=60_000)
    expect(page.locator(".headline-figures")).to_be_visible(timeout=60_000)
    camera.take("run")
    expect(page.locator("[data-poll-done]")).to_be_attached(timeout=JUDGED_WITHIN * 1000)
    page.locator("#results").click()
    chart = page.locator("figure.chart svg").first
    expect(chart).to_be_visible(timeout=60_000)
    page.evaluate("window.scrollTo(0, 0)")
    camera.take("results")
    page.get_by_role("link", name="How many comparisons are enough?", exact=True).click()
    expect(chart).to_be_visible(timeout=60_000)
    chart.scroll_into_view_if_needed()
    camera.take("ranking-curve")


def mapping(camera: Camera, data: Path) -> None:
    """Take the mapping of the columns of an uploaded table."""
    table = data / "annotations.csv"
    table.write_bytes(pair_with_systems().content)
    page = camera.page
    page.goto("/datasets/upload/")
    page.set_input_files("input[type=file]", str(table))
    page.get_by_role("button", name="Preview").click()
    page.wait_for_url("**/columns/")
    camera.take("mapping")


def documentation(camera: Camera) -> None:
    """Take the documentation on a desktop and on a phone."""
    page = camera.page
    for name, size, address in (("docs", DESKTOP, "/docs/reference/report/"), ("docs-phone", PHONE, "/docs/")):
        page.set_viewport_size(size)
        page.goto(address)
        page.wait_for_load_state("networkidle")
        camera.take(name)
    page.set_viewport_size(SIZE)


def terminal(camera: Camera, data: Path) -> None:
    """Take the list of commands, and a run while it is judged and at its end."""
    show_screen(camera, data, "terminal-help", "evenhand --help", list(screens(data, "--help"))[-1])
    words = ("judge", "--dataset", SAMPLE, "--judge", "demo", "--attribute", "fluency", "--method", "pairwise")
    seen = list(screens(data, *words))
    in_progress = [screen for screen in seen if BAR in screen.rpartition("\n")[2]]
    command = "evenhand " + " ".join(words)
    show_screen(camera, data, "terminal-running", command, in_progress[len(in_progress) // 2])


def screens(data: Path, *words: str) -> Iterator[str]:
    """Yield the screens of a command of Evenhand."""
    environment = os.environ | {"EVENHAND_DATA": str(data)}
    return screens_of([str(Path(sys.executable).parent / "evenhand"), *words], environment)


def show_screen(camera: Camera, data: Path, name: str, command: str, screen: str) -> None:
    """Take a screen of a terminal."""
    file = write_page(data / f"{name}.html", command, screen)
    camera.page.goto(file.as_uri())
    camera.take(name, element="body")


def annotation(camera: Camera) -> None:
    page = camera.page
    page.get_by_role("link", name="Vote in").first.click()
    if page.get_by_role("button", name="read").count():
        page.get_by_role("button", name="read").first.click()
    page.wait_for_load_state("networkidle")
    camera.take("annotate")


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    build_docs_site(ROOT / "site")
    with tempfile.TemporaryDirectory(prefix="evenhand-pictures-") as data, running_demo(Path(data)) as address:
        passwords = json.loads((Path(data) / "demo-passwords.json").read_text())
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=executable(), args=list(FLAGS))
            camera = Camera(browser.new_page(base_url=address, viewport=SIZE, color_scheme="light"), folder)
            documentation(camera)
            terminal(camera, Path(data))
            camera.sign_in("researcher", passwords["researcher"])
            research(camera)
            mapping(camera, Path(data))
            camera.sign_in("annotator", passwords["annotator"])
            annotation(camera)
            browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
