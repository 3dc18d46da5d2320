"""Pseudonyms of raters, so that a package names nobody, and the search for names that free texts hold."""

import hashlib
import hmac
import re
import secrets
from dataclasses import replace
from functools import cache

from evenhand.formats.records import CandidateRecord, ContextRecord, DatasetRecord, VoteRecord
from judging.models import User

EMAIL = re.compile(r"[\w.+-]+@[\w-]+\.\w")
KEY_BYTES = 32
DIGITS = 12


def may_name_a_person(text: str) -> bool:
    """Return True if a text holds an e-mail address, or the name of an account as a word."""
    if not text:
        return False
    names = User.objects.values_list("username", flat=True)
    return bool(EMAIL.search(text)) or any(
        re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) for name in names
    )


class Pseudonyms:
    """The pseudonyms of one package: keyed hashes of names. The random key is the salt, and is never stored.

    A rater has one pseudonym in the whole package, and another one in the next package.
    """

    def __init__(self) -> None:
        self._key = secrets.token_bytes(KEY_BYTES)

    def of(self, rater: str) -> str:
        """Return the pseudonym of a rater, for example "rater-3f9a12c07b55"."""
        name = rater.encode("utf-8", "surrogatepass")
        return f"rater-{hmac.new(self._key, name, hashlib.sha256).hexdigest()[:DIGITS]}"


class VoteNames:
    """Replaces everything in votes that may name a person. One object serves a whole package."""

    def __init__(self, pseudonyms: Pseudonyms) -> None:
        self._pseudonyms = pseudonyms
        self._campaigns: dict[str, str] = {"": ""}
        self._guidelines = cache(lambda text: "" if may_name_a_person(text) else text)

    def replaced(self, vote: VoteRecord) -> VoteRecord:
        """Return a vote with a pseudonym and a numbered campaign, without comment, time and reason."""
        campaign = self._campaigns.setdefault(vote.campaign, f"campaign-{len(self._campaigns)}")
        return replace(
            vote,
            rater=self._pseudonyms.of(vote.rater),
            campaign=campaign,
            guidelines=self._guidelines(vote.guidelines),
            comment="",
            voted_at="",
            exclude_reason="",
        )


def without_names(record: DatasetRecord, pseudonyms: Pseudonyms) -> DatasetRecord:
    """Replace the raters of all votes and ratings by pseudonyms, those of the dataset's own file too."""
    votes = VoteNames(pseudonyms)
    contexts = (_without_names(context, pseudonyms, votes) for context in record.contexts)
    return replace(record, contexts=tuple(contexts))


def _without_names(context: ContextRecord, pseudonyms: Pseudonyms, votes: VoteNames) -> ContextRecord:
    return replace(
        context,
        candidates=tuple(_rated_by_pseudonyms(candidate, pseudonyms) for candidate in context.candidates),
        votes=tuple(map(votes.replaced, context.votes)),
    )


def _rated_by_pseudonyms(candidate: CandidateRecord, pseudonyms: Pseudonyms) -> CandidateRecord:
    ratings = {
        attribute: {pseudonyms.of(rater): value for rater, value in by_rater.items()}
        for attribute, by_rater in candidate.ratings.items()
    }
    return replace(candidate, ratings=ratings)
