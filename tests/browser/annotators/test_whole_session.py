"""A whole session of an annotator, from the invitation to the completion code."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from evenhand.formats.recorded.known_pairs import KnownPair
from judging.models import Assignment, Campaign, Enrolment, Purpose, TrainingAnswer, Vote
from judging.services.campaign_pairs.gold_pairs import add_gold_pairs
from judging.services.campaign_pairs.training import set_training_pairs
from judging.services.campaigns.progress import working_session
from judging.services.invitations.consent import set_consent_text
from judging.services.invitations.invitation_setup import create_invitation
from tests.browser.annotators.people import Keyboard, Person, Touch, WithoutScripts
from tests.browser.looks import violations
from tests.browser.voting import DESKTOP, PHONE, answers, shown_texts
from tests.campaigns import small_campaign

ORDINARY, GOLD, REPEATS, TRAINING = 10, 1, 1, 2
PASSWORD = "an-unusual-word-7"
BROWSERS = {
    Keyboard: {"viewport": DESKTOP},
    Touch: {"viewport": PHONE, "has_touch": True, "is_mobile": True, "color_scheme": "dark"},
    WithoutScripts: {"viewport": DESKTOP, "java_script_enabled": False},
}


@pytest.fixture
def campaign() -> Campaign:
    """Ten pairs for one vote each, gold pairs, repeats and training, behind an invitation and a consent text."""
    campaign = small_campaign(
        pairs=ORDINARY + GOLD + TRAINING,
        votes_per_pair=1,
        guidelines="Look for order.",
        gold_share=GOLD / ORDINARY,
        repeat_share=REPEATS / ORDINARY,
    )
    set_training_pairs(campaign, [KnownPair(f"c{place}", "a", "b", "tie", "Both.") for place in range(TRAINING)])
    add_gold_pairs(campaign, [KnownPair(f"c{TRAINING + place}", "a", "b", "first") for place in range(GOLD)])
    set_consent_text(campaign, text="We store votes.", created_by=None)
    create_invitation(campaign, admission="registration", created_by=None, completion_code="C1X9QK")
    return campaign


@pytest.fixture(params=BROWSERS, ids=["keyboard", "touch", "without scripts"])
def person(request, chromium, live_server) -> Iterator[Person]:
    context = chromium.new_context(base_url=live_server.url, **BROWSERS[request.param])
    yield request.param(context.new_page())
    context.close()


class Session:
    """One person's session. faults: what axe reports on its pages. seen: each pair as shown, with the answer to it.

    tops: where the first text began.
    """

    def __init__(self, person: Person) -> None:
        self.person, self.page = person, person.page
        self.faults: list[str] = []
        self.seen: list[tuple[str, ...]] = []
        self.tops: set[int] = set()

    def check(self) -> None:
        """Run axe on the dark phone: on a desktop, the other tests of annotators' pages do."""
        if type(self.person) is Touch:
            self.faults += violations(self.page)

    def join(self, campaign: Campaign) -> None:
        self.page.goto(campaign.invitations.get().get_absolute_url())
        self.check()
        for label, text in (("Name", "cleo"), ("Password", PASSWORD), ("Password again", PASSWORD)):
            self.person.fill(self.page.get_by_label(label, exact=True), text)
        for button in ("Create the account and join", "I accept: continue", "I have read this: start"):
            self.follow("button", button)
            self.check()

    def follow(self, role: str, name: str) -> None:
        """Press a link or button that leads to another page."""
        with self.page.expect_navigation():
            self.person.activate(self.page.get_by_role(role, name=name).first)

    def train(self) -> None:
        for link in ("Next", "Start voting"):
            with self.page.expect_navigation():
                self.person.vote(1)
            expect(self.page.get_by_text("Not quite.")).to_be_visible()
            self.check()
            self.follow("link", link)
        self.person.wait_for_pair()

    def vote(self, side: int) -> None:
        self.seen.append((*shown_texts(self.page)[-2:], ("first", "second")[side - 1]))
        self.tops.add(round(self.page.locator("#text-1").bounding_box()["y"]))
        self.person.answer(lambda: self.person.vote(side))

    def undo(self) -> None:
        self.seen.pop()
        self.person.answer(self.person.undo)

    def dismiss_the_break(self) -> None:
        expect(self.page.get_by_text("take a break?")).to_be_visible()
        self.check()
        self.follow("button", "Dismiss")
        expect(self.page.get_by_text("take a break?")).to_have_count(0)

    def change_the_latest(self) -> None:
        self.follow("link", "Your votes")
        self.check()
        self.follow("link", "Change")
        self.check()
        self.person.wait_for_pair()
        self.follow("button", "Summary 2")
        expect(self.page.locator("[data-changed]")).to_contain_text("Your vote is saved as shown here.")
        self.seen[-1] = (*self.seen[-1][:2], "second")
        self.check()
        self.follow("link", "Continue voting")
        self.person.wait_for_pair()

    def vote_to_the_end(self) -> None:
        while self.page.locator(".vote-bar").count():
            self.vote(1)


def test_a_whole_session_ends_with_the_completion_code(person, campaign, monkeypatch):
    monkeypatch.setattr(working_session, "BREAK_AFTER", 5)
    session = Session(person)

    session.join(campaign)
    session.train()
    session.check()
    for side in (1, 2, 1):
        session.vote(side)
    session.undo()
    session.vote(2)
    person.answer(lambda: person.skip("I cannot decide"))
    for _ in range(2):
        session.vote(1)
    session.dismiss_the_break()
    session.change_the_latest()
    session.vote_to_the_end()

    expect(person.page.get_by_text("C1X9QK")).to_be_visible()
    session.check()
    assert session.faults == []
    assert len(session.tops) == 1
    assert answers() == session.seen
    assert Enrolment.objects.get().completed_at is not None
    assert TrainingAnswer.objects.count() == TRAINING
    assert Assignment.objects.get(status="skipped").skip_reason == "undecided"
    assert_checks_are_mixed_in(session)
    assert Vote.objects.filter(seconds=None).exists() == isinstance(person, WithoutScripts)


def assert_checks_are_mixed_in(session: Session) -> None:
    """Each repeat shows the texts of an earlier pair on swapped sides; gold pairs look like all others."""
    checks = [Assignment.objects.filter(purpose=purpose).count() for purpose in (Purpose.GOLD, Purpose.REPEAT)]
    assert checks == [GOLD, REPEATS]
    purposes = list(Vote.objects.order_by("pk").values_list("purpose", flat=True))
    shown = [texts[:2] for texts in session.seen]
    repeated = [place for place, (first, second) in enumerate(shown) if (second, first) in shown[:place]]
    assert repeated == [place for place, purpose in enumerate(purposes) if purpose == Purpose.REPEAT]
