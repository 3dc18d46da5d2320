"""A client of the HTTP API for annotators: read the guidelines, vote, skip, and change answers.

    with Annotator("https://evenhand.example.org", token="…") as ann:
        campaign = ann.campaigns()[0]["id"]
        ann.confirm_guidelines(campaign)
        while pair := ann.next_pair(campaign):
            ann.vote(pair, "first")

A pair has `first` and `second`, each with a `text`, and the text of their `context`.
"""

from evenhand.connection import Connection, Row, Rows


class Annotator(Connection):
    """An annotator's connection to a server. campaign: the `id` of one of your campaigns."""

    def campaigns(self) -> Rows:
        """Return your campaigns, with their guidelines and your progress."""
        return self.rows("own-campaigns/")

    def join(self, code: str) -> Row:
        """Join a campaign. code: the last part of an invitation's link. Returns the `campaign` with its `name`."""
        return self.row("POST", f"join/{code}/")

    def consent(self, campaign: int) -> Row:
        """Return the consent text with its `version`, and when you accepted it. version: None without a text."""
        return self.row("GET", f"own-campaigns/{campaign}/consent/")

    def accept_consent(self, campaign: int, version: int) -> Row:
        """Accept the consent text that you read. Voting needs it."""
        return self.row("POST", f"own-campaigns/{campaign}/consent/", json={"version": version})

    def confirm_guidelines(self, campaign: int, version: int | None = None) -> None:
        """Confirm that you have read the guidelines. The next pair needs it, again after each change.

        version: the one that you read; None for the current one.
        """
        self.request("POST", f"own-campaigns/{campaign}/guidelines-read/", json={"version": version})

    def next_pair(self, campaign: int) -> Row | None:
        """Reserve the next pair for 30 minutes and return it; None if no pair is left."""
        response = self.request("POST", f"own-campaigns/{campaign}/next-pair/")
        return None if response.status_code == 204 else response.json()

    def completion_code(self, campaign: int) -> str | None:
        """Return the completion code; None while pairs are left or without one, empty if votes are missing for it."""
        code: str | None = self.row("GET", f"own-campaigns/{campaign}/completion/")["code"]
        return code

    def answers(self, campaign: int, **filters: object) -> Rows:
        """Return your votes and skips, the latest first. filters: `status`, which is `voted` or `skipped`."""
        return self.rows(f"own-campaigns/{campaign}/answers/", **filters)

    def vote(self, pair: Row, choice: str, *, seconds: float | None = None, **details: object) -> Row:
        """Vote `first`, `second`, `tie`, `both-bad` or `cannot-judge`. Returns the answered pair.

        seconds: time on the pair. details: `strength`, `confidence` and `comment`, where the campaign asks for them.
        """
        return self.row("POST", _address(pair, "vote"), json=_vote(pair, choice) | {"seconds": seconds} | details)

    def change_vote(self, pair: Row, choice: str, **details: object) -> Row:
        return self.row("PATCH", _address(pair, "vote"), json=_vote(pair, choice) | details)

    def withdraw(self, pair: Row) -> Row:
        """Withdraw a vote or a skip. The pair is open again."""
        return self.row("DELETE", _address(pair, "vote"))

    def skip(self, pair: Row, reason: str) -> Row:
        """Skip a pair. reason: broken, language, subject, undecided or other."""
        return self.row("POST", _address(pair, "skip"), json={"reason": reason})


def _address(pair: Row, verb: str) -> str:
    return f"own-campaigns/{pair['campaign']}/pairs/{pair['key']}/{verb}/"


def _vote(pair: Row, choice: str) -> Row:
    return {"choice": choice, "first": pair["first"]["name"], "second": pair["second"]["name"]}
