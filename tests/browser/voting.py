"""Short words for what annotators do in the browser."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from judging.models import Campaign, Vote

PHONE, DESKTOP = {"width": 390, "height": 844}, {"width": 1280, "height": 800}


def open_pair(page: Page, campaign: Campaign) -> None:
    page.goto(f"/campaigns/{campaign.pk}/annotate/")
    rest(page)


def rest(page: Page) -> None:
    """Until the page takes answers."""
    expect(page.locator("[data-annotate][data-ready]:not([aria-busy])")).to_be_attached()


def shown_texts(page: Page) -> list[str]:
    return page.locator(".texts .passage").all_inner_texts()


def press_and_wait(page: Page, key: str) -> None:
    """Press a key that answers, and wait for the pair that follows."""
    act_and_wait(page, lambda: page.keyboard.press(key))


def act_and_wait(page: Page, act: Callable[[], None]) -> None:
    """Answer a pair, and wait for the page that follows."""
    before = page.locator("[data-annotate]").element_handle()
    act()
    page.wait_for_function("box => !box.isConnected", arg=before)
    rest(page)


def answers() -> list[tuple[str, str, str]]:
    return list(Vote.objects.values_list("first__text", "second__text", "choice"))
