"""A whole session of an annotator, from the invitation to the completion code: by keyboard alone, and by touch."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from judging.models import Assignment, Campaign, Enrolment, Vote
from judging.services.campaigns import own_progress
from judging.services.invitations.consent import set_consent_text
from judging.services.invitations.invitation_setup import create_invitation
from tests.browser.looks import violations
from tests.browser.voting import PHONE, answers, rest
from tests.campaigns import small_campaign

pytestmark = pytest.mark.django_db(transaction=True)

PAIRS = 20
PASSWORD = "an-unusual-word-7"
MOST_STOPS = 60
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
        self.page.keyboard.press(str(side))

    def undo(self) -> None:
        self.page.keyboard.press("u")

    def skip(self, reason: str) -> None:
        self.page.keyboard.press("s")
        expect(self.page.get_by_role("group", name="Why do you skip this pair?")).to_be_visible()
        self.activate(self.page.get_by_role("button", name=reason))

    def _move_to(self, target: Locator) -> None:
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
        target.tap()
        self.page.keyboard.type(text)

    def vote(self, side: int) -> None:
        self.page.get_by_role("button", name=f"Summary {side}").tap()

    def undo(self) -> None:
        self.page.get_by_role("button", name="Undo").tap()

    def skip(self, reason: str) -> None:
        self.page.locator("summary", has_text="Skip").tap()
        self.page.get_by_role("button", name=reason).tap()


Person = Keyboard | Touch


@pytest.fixture
def campaign() -> Campaign:
    campaign = small_campaign(pairs=PAIRS, votes_per_pair=1, guidelines="Look for order.")
    set_consent_text(campaign, text="We store votes.", created_by=None)
    create_invitation(campaign, admission="registration", created_by=None, completion_code="C1X9QK")
    return campaign


@pytest.fixture(params=[Keyboard, Touch], ids=["keyboard", "touch"])
def person(request, chromium, live_server):
    options = {"viewport": PHONE, "has_touch": True, "is_mobile": True} if request.param is Touch else {}
    context = chromium.new_context(base_url=live_server.url, **options)
    page = context.new_page()
    yield request.param(page)
    context.close()


def then_rest(page: Page, act: Callable[[], None]) -> None:
    """Act, and wait for the pair that follows."""
    before = page.locator("[data-annotate]").element_handle()
    act()
    page.wait_for_function("box => !box.isConnected", arg=before)
    rest(page)


def join(person: Person, campaign: Campaign) -> list[str]:
    """Go from the invitation to the first pair. Returns what axe found on the way."""
    page = person.page
    page.goto(campaign.invitations.get().get_absolute_url())
    found = violations(page)
    for label, text in (("Name", "cleo"), ("Password", PASSWORD), ("Password again", PASSWORD)):
        person.fill(page.get_by_label(label, exact=True), text)
    for button in ("Create the account and join", "I accept: continue", "I have read this: start"):
        person.activate(page.get_by_role("button", name=button))
        expect(page.get_by_role("button", name=button)).to_have_count(0)
        page.wait_for_load_state()
        found += violations(page)
    rest(page)
    return found


def test_a_whole_session_ends_with_the_completion_code(person, campaign, monkeypatch):
    monkeypatch.setattr(own_progress, "BREAK_AFTER", 10)
    page = person.page

    found = join(person, campaign)
    for number in range(6):
        then_rest(page, lambda side=number % 2 + 1: person.vote(side))
    then_rest(page, person.undo)
    then_rest(page, lambda: person.vote(2))
    then_rest(page, lambda: person.skip("I cannot decide"))
    for _ in range(4):
        then_rest(page, lambda: person.vote(1))
    found += violations(page)
    person.activate(page.get_by_role("button", name="Dismiss"))
    expect(page.get_by_text("Take a few minutes")).to_have_count(0)
    rest(page)

    person.activate(page.get_by_role("link", name="Your votes"))
    person.activate(page.get_by_role("link", name="Change").first)
    rest(page)
    person.activate(page.get_by_role("button", name="Summary 2"))
    expect(page.locator("[data-changed]")).to_contain_text("Your vote is saved as shown here.")
    found += violations(page)
    person.activate(page.get_by_role("link", name="Continue voting"))
    expect(page.locator(".so-far label")).to_contain_text("10 of 19 done")
    rest(page)
    for _ in range(PAIRS - 12):
        then_rest(page, lambda: person.vote(1))
    person.vote(1)

    expect(page.get_by_text("C1X9QK")).to_be_visible()
    assert found + violations(page) == []
    assert Enrolment.objects.get().completed_at is not None
    assert len(answers()) == PAIRS - 1
    assert Assignment.objects.get(status="skipped").skip_reason == "undecided"
    assert Vote.objects.filter(seconds=None).count() == 0
