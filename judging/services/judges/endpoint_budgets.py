"""Limits of the requests and tokens that an API key, and each person, may use at endpoints a day (UTC)."""

from collections.abc import Iterable

from django.conf import settings

from judging.models import EndpointUse, Judge, Run
from judging.models.batches import EndpointUseQuerySet

PERSON = "person"
"""The name in the setting ENDPOINT_LIMITS for the limit of each person."""


def count_use(run: Run, *, requests: int, tokens: int = 0) -> None:
    """Count what a run used at an endpoint."""
    if run.judge.is_endpoint and (requests or tokens):
        EndpointUse.objects.create(owner_id=run.owner_id, key=run.judge.api_key_env, requests=requests, tokens=tokens)


def pause_of(judge: Judge, owner_id: int | None) -> str:
    """Return why runs of a judge wait, as a sentence; empty if they do not. owner_id: None for the command line."""
    if not judge.is_endpoint:
        return ""
    key, today = judge.api_key_env, EndpointUse.objects.today()
    limited = [(key, f"the key {key}", today.filter(key=key))] if key else []
    limited += [(PERSON, "its owner", today.filter(owner=owner_id))] if owner_id else []
    return next(filter(None, (_used_up(*one) for one in limited)), "")


def _used_up(name: str, who: str, uses: EndpointUseQuerySet) -> str:
    limits: dict[str, int] = settings.ENDPOINT_LIMITS.get(name) or {}
    used = uses.totals() if limits else {}
    for unit, number in used.items():
        if unit in limits and number >= limits[unit]:
            return (
                f"Paused: {who} has used {number:,} of {limits[unit]:,} {unit} today. "
                "It goes on at 00:00 UTC, or when an admin raises the limit."
            )
    return ""


def pauses_of(judges: Iterable[Judge], owner_id: int | None) -> list[str]:
    """Return why new runs of these judges would wait, each reason once."""
    return list(dict.fromkeys(filter(None, (pause_of(judge, owner_id) for judge in judges))))
