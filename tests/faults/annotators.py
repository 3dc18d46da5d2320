"""Eight made-up annotators in real browsers: `python -m tests.servers python -m tests.faults.annotators`.

They take part in one campaign in turns: with keys, by touch on a phone, and without a mouse. Before each vote, those
with keys press others that must not vote. Prints a line for each person, the time from key to next pair, the bytes of a
vote, and how many figures equal those of the tests' own code, before and after two people are excluded. Ends with an
error if a vote was accidental, lost or doubled, if somebody careful was flagged or got no code, or if somebody careless
got a code without a flag. Takes some minutes, and needs a Chromium.
"""

import os
import sys
import time
from collections import Counter
from statistics import median

from playwright.sync_api import sync_playwright

from benchmarks.database import django_on
from tests.browser.chromium import FLAGS, executable
from tests.faults.votes import served_site

DESKTOP = {"viewport": {"width": 1280, "height": 800}}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
NO_VOTES = ("ArrowRight", "Shift+ArrowRight", "Shift+B", "Control+a", "1", "2")
"""Keys that scroll, select, choose a level, or do nothing."""
KEYS = {"first": "a", "second": "b", "cannot-judge": "c"}
BUTTONS = {"first": "Summary 1", "second": "Summary 2", "cannot-judge": "Cannot judge"}
SECONDS = 2.2
"""For which everybody looks at a pair at least: votes within two seconds are quick."""
CAREFUL = {"careful", "phone", "keyboard only"}
EXCLUDED = ("random", "cannot judge")
TIMED = """
    for (const kind of ["keydown", "click"])
        addEventListener(kind, (event) => { if (event.isTrusted) window.pressed = performance.now(); }, true);
    document.addEventListener("pairshown", () => (window.waited ??= []).push(performance.now() - window.pressed));
"""


class Annotator:
    """One person. given: the texts as shown, and the choice, of each answer that stands. received: bytes so far."""

    def __init__(self, name, browser, address, choose):
        self.name, self.choose = name, choose
        self.page = browser.new_context(base_url=address, **(PHONE if name == "phone" else DESKTOP)).new_page()
        self.page.add_init_script(TIMED)
        self.given, self.answers, self.received, self.bytes_of_votes, self.shown_at = [], 0, 0, 0, 0.0
        network = self.page.context.new_cdp_session(self.page)
        network.on("Network.loadingFinished", self._count)
        network.send("Network.enable")

    def _count(self, finished):
        self.received += finished["encodedDataLength"]

    def activate(self, role, label):
        """Press a button or follow a link to another page, in this person's way."""
        from tests.browser.annotators.people import Keyboard

        target = self.page.get_by_role(role, name=label).first
        with self.page.expect_navigation():
            if self.name == "keyboard only":
                Keyboard(self.page).activate(target)
            elif self.name == "phone":
                target.tap()
            else:
                target.click()

    def begin(self, link):
        self.page.goto(f"{link}?PROLIFIC_PID={self.name}&STUDY_ID=s1&SESSION_ID=of-{self.name}")
        for label in ("Start", "I accept: continue", "I have read this: start"):
            self.activate("button", label)

    def train(self, pairs, choose):
        for number in range(1, pairs + 1):
            with self.page.expect_navigation():
                self.press(choose(self.texts()))
            self.activate("link", "Next" if number < pairs else "Continue")
        self.shown_at = time.monotonic()

    def texts(self):
        from tests.browser.voting import shown_texts

        first, second = shown_texts(self.page)[-2:]
        return first, second

    def press(self, choice):
        if self.name == "phone":
            self.page.get_by_role("button", name=BUTTONS[choice]).tap()
        else:
            self.page.keyboard.press(KEYS[choice])

    def vote(self):
        """Look at the pair for some seconds, press what must not vote, then vote."""
        texts, choice = self.texts(), self.choose(self.texts())
        for key in NO_VOTES if self.name != "phone" else ():
            self.page.keyboard.press(key)
        self.page.wait_for_timeout(max(0.0, 1000 * (self.shown_at + SECONDS - time.monotonic())))
        before = self.received
        self._answer(lambda: self.press(choice))
        self.answers, self.bytes_of_votes = self.answers + 1, self.bytes_of_votes + self.received - before
        self.given.append((*texts, choice))

    def take_back(self):
        self._answer(lambda: self.page.keyboard.press("u"))
        self.given.pop()

    def _answer(self, act):
        from tests.browser.voting import act_and_wait

        act_and_wait(self.page, act)
        self.shown_at = time.monotonic()

    def has_pair(self):
        return self.page.locator(".vote-bar").count() > 0

    def waited(self):
        """Milliseconds from each key or tap to the next pair."""
        return self.page.evaluate("window.waited ?? []")


def steps_of(one, campaign, eight):
    """Do what a person of this name does, and yield after each answer, when it is another person's turn."""
    one.begin(campaign.invitations.get().get_absolute_url())
    if one.name == "random":
        one.train(eight.TRAINING, eight.worse)
        one.activate("button", "Do the training again")
    one.train(eight.TRAINING, eight.better)
    votes = {"idle": 0, "left": 7, "undoing": 9}.get(one.name, eight.EVERYTHING)
    while len(one.given) < votes and one.has_pair():
        one.vote()
        yield
    while one.name == "undoing" and one.given:
        one.take_back()
        yield


def take_turns(sessions):
    waiting = list(sessions)
    while waiting:
        waiting = [one for one in waiting if next(one, "done") != "done"]


def annotators(browser, address, eight):
    """The eight, in the order in which they come."""
    choices = {
        "idle": eight.better,
        "left": eight.careful(0),
        "undoing": eight.careful(0),
        "cannot judge": lambda _: "cannot-judge",
        "random": eight.by_chance,
        "careful": eight.careful(1),
        "phone": eight.careful(2),
        "keyboard only": eight.careful(3),
    }
    return [Annotator(name, browser, address, choose) for name, choose in choices.items()]


def lines_of(people, manager, campaign, eight):
    """Return a line for each person: name, answers, votes that stand, accidental and lost ones, flags, code."""
    raters = eight.raters_by_name(manager, campaign)
    flags = {row["rater"]: row["flags"] for row in eight.quality(manager, campaign)["raters"]}
    standings = eight.standings(manager, campaign, raters)
    stored = Counter(eight.stored_votes(manager, campaign))
    lines = []
    for one in people:
        own = Counter({tuple(key[1:]): n for key, n in stored.items() if key[0] == raters[one.name]})
        meant = Counter(one.given)
        lines.append(
            {
                "person": one.name,
                "votes": own.total(),
                "accidental": (own - meant).total(),
                "lost": (meant - own).total(),
                "flags": ", ".join(flags.get(raters[one.name], [])) or "-",
                "standing": standings[one.name],
                "code": eight.CODE in one.page.content(),
            }
        )
    return lines


def main():
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # playwright runs a loop in this thread
    with django_on(), served_site() as address, sync_playwright() as playwright:
        from django.test import Client
        from django.test.utils import setup_test_environment

        from tests.judging.views.labelling import eight_people as eight

        setup_test_environment()
        campaign, manager = eight.campaign_of_eight(), Client()
        manager.force_login(campaign.created_by, backend="django.contrib.auth.backends.ModelBackend")
        browser = playwright.chromium.launch(executable_path=executable(), args=list(FLAGS))
        people = annotators(browser, address, eight)
        take_turns(steps_of(one, campaign, eight) for one in people)
        lines = lines_of(people, manager, campaign, eight)
        waited = [time for one in people for time in one.waited()]
        size = sum(one.bytes_of_votes for one in people) / sum(one.answers for one in people)
        figures, raters = [eight.compare_figures(manager, campaign)], eight.raters_by_name(manager, campaign)
        for name in EXCLUDED:
            eight.exclude(manager, campaign, raters[name])
        figures.append(eight.compare_figures(manager, campaign))
        browser.close()
    show(lines, waited, size, figures)


def show(lines, waited, size, figures):
    rows = [dict(zip(lines[0], lines[0], strict=True)), *lines]
    widths = {name: max(len(str(row[name])) for row in rows) for name in lines[0]}
    for line in rows:
        sys.stdout.write("  ".join(f"{line[name]!s:{width}}" for name, width in widths.items()).rstrip() + "\n")
    speed = f"key to next pair: {median(waited):.0f} ms at the median of {len(waited)}"
    sys.stdout.write(f"{speed}; {size / 1000:.1f} kB a vote\n")
    sys.stdout.write(f"equal figures: {figures[0]} before and {figures[1]} after two people are excluded\n")
    wrong = [line for line in lines if line["accidental"] or line["lost"] or is_misjudged(line)]
    if wrong or min(figures) < 96:
        raise SystemExit(f"wrong: {', '.join(line['person'] for line in wrong) or 'too few figures'}")


def is_misjudged(line):
    is_found = line["flags"] != "-" or not line["code"]
    return is_found == (line["person"] in CAREFUL)


if __name__ == "__main__":
    main()
