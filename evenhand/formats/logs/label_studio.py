"""Exports of Label Studio 1 (the format "JSON"): tasks with two texts and the control `Pairwise` or `Choices`.

The two texts are the fields of a task whose names differ in 1 and 2, a and b, or left and right. The first is on the
left. `model_a` and `model_b` are their systems. A task may have no context. Each control is an attribute.
"""

from collections.abc import Iterator
from typing import Any

from evenhand.formats.logs.logged_item import LoggedItem, LogRecord, ToolLog, as_number
from evenhand.formats.logs.pair_fields import PairFields, find_pair

LABEL_STUDIO_KEYS = ("data", "annotations")


def read_label_studio(log: ToolLog) -> Iterator[LoggedItem]:
    """Yield an item for each task with two texts."""
    for line, task in log.records:
        if pair := find_pair(task.get("data") or {}, log):
            votes = (vote for one in task.get("annotations") or () for vote in _read_annotation(log, one, pair))
            yield LoggedItem(line, pair.context_line(task.get("id", line), votes))


def _read_annotation(log: ToolLog, annotation: LogRecord, pair: PairFields) -> Iterator[dict[str, Any]]:
    if annotation.get("was_cancelled"):
        log.skip("skipped annotations")
        return
    given = {"rater": _name_rater(annotation.get("completed_by")), "seconds": as_number(annotation.get("lead_time"))}
    for result in annotation.get("result") or ():
        answer = _read_value(result.get("value") or {})
        yield from pair.read_vote(log, str(result.get("from_name") or "overall"), answer, **given)


def _read_value(value: LogRecord) -> object:
    """Return the selected side, or the only choice."""
    choices = value.get("choices")
    return choices[0] if isinstance(choices, list) and len(choices) == 1 else value.get("selected")


def _name_rater(person: object) -> str:
    if isinstance(person, dict):
        return str(person.get("email") or person.get("id") or "unknown")
    return "unknown" if person is None else str(person)
