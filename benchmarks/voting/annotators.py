"""Locust's users: annotators who sign in, read the pair, and vote on the real pages; researchers who read pages."""

from __future__ import annotations

import itertools
import json
import random
import re
from pathlib import Path

import gevent
from locust import HttpUser, between, events, task
from locust.env import Environment
from locust.exception import StopUser

from benchmarks.voting.busy_campaign import PASSWORD, VOTING, annotator_name, reader_name

VOTE_FORM = re.compile(r"<form[^>]*annotate/vote/.*?</form>", re.DOTALL)
HIDDEN_FIELD = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)"')
numbers, readers = itertools.count(), itertools.count()
given = {"votes": 0, "ready": 0}


@events.init_command_line_parser.add_listener
def _add_options(parser) -> None:  # noqa: ANN001 - Locust's parser
    parser.add_argument("--campaign", type=int)
    parser.add_argument("--pace", type=float, default=20)
    parser.add_argument("--readers", type=int, default=0)
    parser.add_argument("--pages", default="")
    parser.add_argument("--measured-seconds", type=float)
    parser.add_argument("--results", type=Path)


@events.init.add_listener
def _set_number_of_readers(environment: Environment, **_: object) -> None:
    Researcher.fixed_count = environment.parsed_options.readers
    if not Researcher.fixed_count:
        environment.user_classes = [Annotator]


class Person(HttpUser):
    """Somebody who signs in, and does something about every PACE seconds, from 0.5 to 1.5 times as long."""

    abstract = True

    def on_start(self) -> None:
        pace = self.environment.parsed_options.pace
        self.wait_time = between(0.5 * pace, 1.5 * pace).__get__(self)
        name = self.take_name()
        while not self.signs_in(name):
            gevent.sleep(1)
        self.begin()
        given["ready"] += 1
        if given["ready"] == self.environment.parsed_options.num_users:
            gevent.spawn_later(2 * pace, _measure, self.environment)
        self.wait()

    def signs_in(self, name: str) -> bool:
        """Return False if the server puts sign-ins off, because too many come at once."""
        page = self.client.get("/account/sign-in/", name="sign in")
        form = {"username": name, "password": PASSWORD} | dict(HIDDEN_FIELD.findall(page.text))
        answer = self.client.post("/account/sign-in/", form, name="sign in", allow_redirects=False)
        return answer.status_code == 302


class Researcher(Person):
    """A researcher who opens one page after the other."""

    def take_name(self) -> str:
        return reader_name(next(readers))

    def begin(self) -> None:
        self.pages = self.environment.parsed_options.pages.split(",")

    @task
    def read(self) -> None:
        self.client.get(random.choice(self.pages))


class Annotator(Person):
    """An annotator who votes."""

    def take_name(self) -> str:
        return annotator_name(next(numbers))

    def begin(self) -> None:
        self.campaign = f"/campaigns/{self.environment.parsed_options.campaign}/annotate/"
        self.fields = self._next_pair()

    @task
    def vote(self) -> None:
        answer = {"choice": random.choice(["first", "second", "tie"]), "milliseconds": "4000"}
        with self.client.post(
            f"{self.campaign}vote/", self.fields | answer, name="vote", allow_redirects=False, catch_response=True
        ) as response:
            if response.status_code != 302:
                response.failure(f"status {response.status_code}")
            else:
                given["votes"] += 1
        self.fields = self._next_pair()

    def _next_pair(self) -> dict[str, str]:
        """Return the fields of the vote form. Ends this annotator if no pair is left."""
        with self.client.get(self.campaign, name="next pair", catch_response=True) as response:
            form = VOTE_FORM.search(response.text)
            if response.status_code != 200 or 'class="messages"' in response.text:
                response.failure(f"status {response.status_code}, or a message")
            if form is None:
                raise StopUser
            return dict(HIDDEN_FIELD.findall(form.group()))


def _measure(environment: Environment) -> None:
    """Forget the requests so far, and stop when the time is over."""
    environment.stats.reset_all()
    gevent.spawn_later(environment.parsed_options.measured_seconds, environment.runner.quit)


@events.quitting.add_listener
def _write_results(environment: Environment, **_: object) -> None:
    entries = {entry.name: entry for entry in environment.stats.entries.values()}
    milliseconds = {
        name: {
            "n": entries[name].num_requests,
            **{f"p{share}": entries[name].get_response_time_percentile(share / 100) for share in (50, 95, 99)},
            "most": entries[name].max_response_time,
        }
        for name in (*VOTING, *filter(None, environment.parsed_options.pages.split(",")))
        if name in entries
    }
    failures = [
        f"{error.name}: {error.error} ({error.occurrences} times)" for error in environment.stats.errors.values()
    ]
    document = {"milliseconds": milliseconds, "votes": given["votes"], "failures": failures}
    environment.parsed_options.results.write_text(json.dumps(document))
