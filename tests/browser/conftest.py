"""A real headless Chromium at a live server: `page`, `clock`, `plain`, `sign_in(role)`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect, sync_playwright

from judging.models import Attribute, Campaign, Context, User
from tests.browser.chromium import FLAGS, executable
from tests.browser.voting import DESKTOP
from tests.campaigns import make_ready_campaign
from tests.factories import make_dataset, make_user

os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"  # playwright keeps an event loop in this thread

FAILED_REQUESTS = (
    *("Failed to load resource", "Response Status Error Code"),
    *("htmx:afterRequest", "htmx:sendError", "htmx:timeout"),
    "htmx:sendAbort",  # a newer choice has replaced the request
)
WAIT = 30_000  # milliseconds for anything that is waited for; a busy machine is slow
expect.set_options(timeout=WAIT)


def pytest_collection_modifyitems(items):
    for item in items:
        if "tests/browser" in item.path.as_posix():
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    path = executable()
    if path is None:
        pytest.fail("no Chromium: install one, or give its path in EVENHAND_CHROMIUM")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


@dataclass(frozen=True, slots=True)
class Tab:
    """A page, and what its console has complained of."""

    page: Page
    complaints: list[str]


@pytest.fixture(scope="session")
def tab(chromium, live_server, django_db_setup) -> Iterator[Tab]:
    """The tab of all tests: a new one is a new process, which compiles the scripts of the site again."""
    tab = new_tab(chromium, live_server)
    yield tab
    tab.page.context.close()


def new_tab(chromium: Browser, live_server) -> Tab:
    """Open a tab of a new visitor, and listen to its console."""
    context = new_context(chromium, live_server)
    tab = Tab(context.new_page(), [])
    tab.page.on("console", lambda message: note(tab.complaints, message))
    tab.page.on("pageerror", lambda error: tab.complaints.append(str(error)))
    return tab


def new_context(chromium: Browser, live_server, **looks: object) -> BrowserContext:
    context = chromium.new_context(**{"base_url": live_server.url, "viewport": DESKTOP} | looks)
    context.set_default_timeout(WAIT)
    return context


@pytest.fixture
def page(request, chromium, live_server) -> Iterator[Page]:
    """A fresh visitor's page. What its console complains of (a breach of the policy, an error) fails the test."""
    has_clock = "clock" in request.fixturenames  # it would stay for all later tests
    tab = new_tab(chromium, live_server) if has_clock else request.getfixturevalue("tab")
    yield tab.page
    if has_clock:
        tab.page.context.close()
    else:
        forget_visit(tab.page)
    complaints = list(tab.complaints)
    tab.complaints.clear()
    assert complaints == []


@pytest.fixture
def plain(chromium, live_server, page) -> Iterator[Page]:
    """A page without scripts, of the visitor that has signed in before this fixture is made."""
    context = new_context(chromium, live_server, java_script_enabled=False, storage_state=page.context.storage_state())
    yield context.new_page()
    context.close()


@pytest.fixture
def clock(page):
    """The clock of the page, which the test moves on."""
    page.clock.install()
    return page.clock


def forget_visit(page: Page) -> None:
    """Close what a visitor has opened besides the page, and forget all that the browser keeps of them."""
    context = page.context
    for opened in context.pages:
        if opened != page:
            opened.close()
    page.unroute_all()
    context.set_offline(offline=False)
    page.evaluate("navigator.sendBeacon = () => true")  # whose answer, amid the next visit, would sign it out
    page.goto("/static/css/print.css")
    page.evaluate("localStorage.clear(), sessionStorage.clear()")
    context.clear_permissions()
    context.clear_cookies()
    page.set_viewport_size(DESKTOP)
    page.emulate_media(media="null", color_scheme="null")


def note(complaints: list[str], message: ConsoleMessage) -> None:
    """Collect errors and warnings, except requests that fail or are replaced on purpose."""
    if message.type in {"error", "warning"} and not message.text.startswith(FAILED_REQUESTS):
        complaints.append(message.text)


@pytest.fixture
def sign_in(page, live_server) -> Callable[..., User]:
    """Signs the page in as this person, else as a new one with these roles, whose name is the first role."""

    def sign_in(*roles: str, person: User | None = None) -> User:
        user = person or make_user(roles[0], *roles)
        client = Client()
        client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
        session = client.cookies[settings.SESSION_COOKIE_NAME].value
        page.context.clear_cookies()
        page.context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": live_server.url}])
        return user

    return sign_in


@pytest.fixture
def ann(sign_in) -> User:
    return sign_in("annotator")


@pytest.fixture
def campaign(ann) -> Campaign:
    """Twelve pairs with an article each, ready to vote on."""
    dataset = make_dataset(candidates=(4, 4))
    Attribute.objects.update(adjective="coherent", definition="Whether it reads as one text.")
    Context.objects.update(text="The council voted on Tuesday to close two of the three libraries. " * 40)
    return make_ready_campaign(ann, dataset=dataset, guidelines="## Look for\n\n- order\n- links")
