"""Every byte that a page receives."""

from __future__ import annotations

from collections.abc import Iterable

from playwright.sync_api import Page, Route


class Received:
    """Every byte that a page received, by address."""

    def __init__(self, page: Page) -> None:
        self.texts: list[tuple[str, str]] = []
        page.route("**/*", self._note)

    def _note(self, route: Route) -> None:
        response = route.fetch(max_redirects=0)
        body = response.body().decode(errors="replace")
        self.texts.append((response.url, f"{response.url} {response.headers} {body}"))
        route.fulfill(response=response)

    def leaks(self, secrets: Iterable[str]) -> list[tuple[str, str]]:
        """Return each address with a secret in its body, its headers or itself."""
        return [(url, secret) for url, text in self.texts for secret in secrets if secret in text]
