"""Find a Chromium: `python -m tests.browser.chromium` prints the path of playwright's, or exits with status 1."""

import os
import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"),
    "--process-per-site",  # what it has compiled for one page serves the next
)
SYSTEMS = ("chromium-headless-shell", "chromium", "chromium-browser")  # the first has no windows to keep ready


def installed_by_playwright() -> str | None:
    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def executable() -> str | None:
    """EVENHAND_CHROMIUM, else the system's, else playwright's own."""
    if named := os.environ.get("EVENHAND_CHROMIUM"):
        return named
    return next(filter(None, map(shutil.which, SYSTEMS)), None) or installed_by_playwright()


if __name__ == "__main__":
    found = installed_by_playwright()
    sys.stdout.write(f"{found}\n" if found else "")
    sys.exit(0 if found else 1)
