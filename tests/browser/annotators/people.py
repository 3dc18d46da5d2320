"""Annotators who use a site by keyboard alone, by touch, or without scripts."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from tests.browser.voting import act_and_wait, rest

MOST_STOPS = 80
"""Elements that the Tab key may pass before the one that a person looks for."""


class Keyboard:
    """Somebody who has no mouse."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def activate(self, target: Locator) -> None:
        self._move_to(target)
        self.page.keyboard.press("Enter")

    def fill(self, target: Locator, text: str) -> None:
        self._move_to(target)
        self.page.keyboard.type(text)

    def vote(self, side: int) -> None:
        self.page.keyboard.press("ab"[side - 1])

    def undo(self) -> None:
        self.page.keyboard.press("u")

    def skip(self, reason: str) -> None:
        self.page.keyboard.press("s")
        expect(self.page.get_by_role("group", name="Why do you skip this pair?")).to_be_visible()
        self.activate(self.page.get_by_role("button", name=reason))

    def answer(self, act: Callable[[], None]) -> None:
        """Answer a pair, and wait for the page that follows."""
        act_and_wait(self.page, act)

    def wait_for_pair(self) -> None:
        """Wait until the page takes answers."""
        rest(self.page)

    def _move_to(self, target: Locator) -> None:
        expect(target).to_be_visible()
        for _ in range(MOST_STOPS):
            if target.evaluate("element => element === document.activeElement"):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"the Tab key does not reach {target}")


class Touch:
    """Somebody with a phone. Text is typed on its keyboard."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def activate(self, target: Locator) -> None:
        target.tap()

    def fill(self, target: Locator, text: str) -> None:
        self.activate(target)
        self.page.keyboard.type(text)

    def vote(self, side: int) -> None:
        self.activate(self.page.get_by_role("button", name=f"Summary {side}"))

    def undo(self) -> None:
        self.activate(self.page.get_by_role("button", name="Undo"))

    def skip(self, reason: str) -> None:
        self.activate(self.page.locator("summary", has_text="Skip"))
        self.activate(self.page.get_by_role("button", name=reason))

    def answer(self, act: Callable[[], None]) -> None:
        act_and_wait(self.page, act)

    def wait_for_pair(self) -> None:
        rest(self.page)


class WithoutScripts(Touch):
    """Somebody with a mouse whose browser runs no scripts. Each answer loads the next page."""

    def activate(self, target: Locator) -> None:
        target.click()

    def answer(self, act: Callable[[], None]) -> None:
        with self.page.expect_navigation():
            act()

    def wait_for_pair(self) -> None:
        expect(self.page.locator(".vote-bar")).to_be_visible()


Person = Keyboard | Touch
