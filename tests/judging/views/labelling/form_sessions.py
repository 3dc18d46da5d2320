"""Sessions of annotators from the link of a platform to the last pair, by the forms alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape

from django.test import Client
from django.urls import reverse

from judging.models import Campaign
from tests.campaigns import let_time_pass

MILLISECONDS = 8_000
"""Time for which each pair is visible."""
Texts = tuple[str, str]
_FORM = re.compile(r"<form([^>]*)>(.*?)</form>", re.DOTALL)
_HIDDEN = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)"')
_PASSAGE = re.compile(r'<div class="passage"[^>]*>(.*?)</div>', re.DOTALL)


class FormReader:
    """html: of the page that is open. address: where it is."""

    def __init__(self) -> None:
        self.client, self.html, self.address = Client(), "", ""

    def open(self, address: str, sent: dict[str, str] | None = None) -> None:
        response = self.client.get(address, follow=True) if sent is None else self._post(address, sent)
        assert response.status_code == 200, response.content.decode()
        self.html, self.address = response.content.decode(), response.request["PATH_INFO"]

    def press(self, label: str, **fields: str) -> None:
        """Send the form of a button, with its hidden fields. fields: what the person or a script fills in."""
        for attributes, inside in _FORM.findall(self.html):
            if button := re.search(rf"<button([^>]*)>\s*{re.escape(label)}", inside):
                own = {_value(button[1], "name"): _value(button[1], "value")}
                self.open(_value(attributes, "action") or self.address, dict(_HIDDEN.findall(inside)) | own | fields)
                return
        raise AssertionError(f"{self.address} has no button {label}")

    def texts(self) -> tuple[str, str]:
        first, second = _PASSAGE.findall(self.html)[-2:]
        return _words(first), _words(second)

    def _post(self, address: str, sent: dict[str, str]):
        return self.client.post(address, {name: value for name, value in sent.items() if name}, follow=True)


def _value(attributes: str, name: str) -> str:
    found = re.search(rf'\b{name}="([^"]*)"', attributes)
    return unescape(found[1]) if found else ""


def _words(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


class FormSession:
    """One person's session, by forms alone. given: pair as shown and choice, of each answer that stands."""

    def __init__(self, name: str, campaign: Campaign, choose: Callable[[Texts], str]) -> None:
        self.name, self.campaign, self.choose = name, campaign, choose
        self.given: list[tuple[str, str, str]] = []
        self.reader = FormReader()

    def begin(self) -> None:
        """Come by the link of the platform, accept the consent text, and read the guidelines."""
        link = self.campaign.invitations.get().get_absolute_url()
        self.reader.open(f"{link}?PROLIFIC_PID={self.name}&STUDY_ID=s1&SESSION_ID=of-{self.name}")
        for button in ("Start", "I accept: continue", "I have read this: start"):
            self.reader.press(button)

    def train(self, choose: Callable[[Texts], str]) -> None:
        """Answer a training pair, and go on after the feedback."""
        self._send(choose(self.reader.texts()))
        self.reader.open(reverse("annotate", args=[self.campaign.pk]))

    def vote(self, choice: str = "") -> None:
        texts = self.reader.texts()
        choice = choice or self.choose(texts)
        let_time_pass(MILLISECONDS)
        self._send(choice)
        self.given.append((*texts, choice))

    def take_back(self) -> None:
        self.reader.press("Undo")
        self.given.pop()

    def vote_to_the_end(self) -> None:
        while 'class="vote-bar"' in self.reader.html:
            self.vote()

    def _send(self, choice: str) -> None:
        labels = {"first": "Summary 1", "second": "Summary 2", "cannot-judge": "Cannot judge"}
        self.reader.press(labels[choice], milliseconds=str(MILLISECONDS))
