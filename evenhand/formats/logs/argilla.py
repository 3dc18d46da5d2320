"""Exports of Argilla 2 (`records.to_json`): records with `fields` and `responses`.

A record with two texts is a pair, with a context or without one. Fields or metadata such as `model_a` name the systems.
A label or ranking question is an attribute; each response is a vote.
"""

from collections.abc import Iterator
from typing import Any

from evenhand.formats.logs.logged_item import LoggedItem, LogRecord, ToolLog
from evenhand.formats.logs.pair_fields import PairFields, find_pair

ARGILLA_KEYS = ("fields", "responses", "suggestions")


def read_argilla(log: ToolLog) -> Iterator[LoggedItem]:
    """Yield an item for each record with two texts."""
    for line, record in log.records:
        if pair := find_pair(record.get("fields") or {}, log, record.get("metadata")):
            for name in record.get("suggestions") or ():
                log.skip(f"suggestions for the question {name}, which no person gave")
            key = record.get("id") if record.get("id") is not None else line
            yield LoggedItem(line, pair.context_line(key, _read_votes(log, record, pair)))


def _read_votes(log: ToolLog, record: LogRecord, pair: PairFields) -> Iterator[dict[str, Any]]:
    for question, responses in (record.get("responses") or {}).items():
        for response in responses or ():
            value = response.get("value")
            answer = _read_ranking(value, pair) if isinstance(value, list) else value
            yield from pair.read_vote(log, question, answer, rater=str(response.get("user_id")))


def _read_ranking(value: list[Any], pair: PairFields) -> str:
    """Return the choice of a ranking such as [{"value": "response-1", "rank": 1}, …]."""
    ranked = [one if isinstance(one, dict) else {"value": one, "rank": rank} for rank, one in enumerate(value)]
    ranks = {pair.plain_meaning(str(one.get("value"))): one.get("rank") for one in ranked}
    first, second = ranks.get("first"), ranks.get("second")
    if not isinstance(first, int) or not isinstance(second, int):
        return ""
    return "tie" if first == second else "first" if first < second else "second"
