"""A real headless Chromium at a live server: `page`, `clock`, `sign_in(role)`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect, sync_playwright

from judging.models import Attribute, Campaign, Context, User
from tests.browser.chromium import FLAGS, executable
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


@pytest.fixture(scope="session")
def visits(chromium, live_server, django_db_setup) -> Iterator[BrowserContext]:
    """The visits of all tests: they share the scripts that Chromium has compiled, which one page keeps in memory.

    A chart is there in a quarter of the time of a browser that has never seen one.
    """
    context = new_visits(chromium, live_server)
    kept = context.new_page()
    kept.goto("/static/css/print.css")
    yield context
    context.close()


def new_visits(chromium: Browser, live_server) -> BrowserContext:
    context = chromium.new_context(base_url=live_server.url, viewport={"width": 1280, "height": 800})
    context.set_default_timeout(WAIT)
    return context


@pytest.fixture
def page(request, chromium, live_server, visits) -> Iterator[Page]:
    """A fresh visitor's page. What its console complains of (a breach of the policy, an error) fails the test."""
    has_clock = "clock" in request.fixturenames  # it would stay for all later tests
    context = new_visits(chromium, live_server) if has_clock else visits
    page, complaints = context.new_page(), []
    page.on("console", lambda message: note(complaints, message))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    if has_clock:
        context.close()
    else:
        forget_visit(context, live_server.url)
    assert complaints == []


@pytest.fixture
def clock(page):
    """The clock of the page, which the test moves on."""
    page.clock.install()
    return page.clock


def forget_visit(context: BrowserContext, origin: str) -> None:
    """Close what a visitor has opened, and forget all that the browser keeps of them."""
    kept, *opened = context.pages
    for page in opened:
        page.close()
    context.set_offline(offline=False)
    context.unroute_all()
    context.clear_permissions()
    context.clear_cookies()
    session = context.new_cdp_session(kept)
    session.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "local_storage,session_storage"})
    session.detach()


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
