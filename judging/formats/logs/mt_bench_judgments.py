"""Judgments by MT-Bench's own judge (FastChat): grades (`…_single.jsonl`), and games (`…_pair.jsonl`) in both orders.

A turn of a question is a context, as in MT-Bench's human judgments. The score -1 means that the reply has no rating.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from judging.formats.logs.logged_item import LoggedItem, LogRecord, ToolLog

GRADE_KEYS = ("question_id", "model", "judge", "score")
GAME_KEYS = ("question_id", "model_1", "model_2", "g1_winner")
_GAMES = {"g1": ("model_1", "model_2"), "g2": ("model_2", "model_1")}  # in the order shown
_FAILED = "$ERROR$"  # in place of a reply


def read_grades(log: ToolLog) -> Iterator[LoggedItem]:
    """Yield an item for each grade. The texts are in MT-Bench's human judgments."""
    for line, row in log.records:
        reply, score = row.get("judgment"), row["score"]
        grade = _by_judge(row) | {"candidate": str(row["model"]), "score": None if score == -1 else score}
        yield LoggedItem(line, _context(row), (grade | {"error" if reply == _FAILED else "text": reply},))


def read_games(log: ToolLog) -> Iterator[LoggedItem]:
    """Yield an item for each line. The winner is named by its model, whatever the order."""
    for line, row in log.records:
        games = tuple(_game(row, name) for name in _GAMES if row.get(f"{name}_winner") is not None)
        yield LoggedItem(line, _context(row), comparisons=games)


def _game(row: LogRecord, name: str) -> dict[str, Any]:
    first, second = _GAMES[name]
    winner = row[f"{name}_winner"]
    choice = {first: "first", second: "second"}.get(winner, winner)
    pair = {"first": str(row[first]), "second": str(row[second])}
    return _by_judge(row) | pair | {"choice": choice, "text": row.get(f"{name}_judgment")}


def _by_judge(row: LogRecord) -> dict[str, Any]:
    """Return attribute and judge. The prompt, the second part of the judge's name, depends on question and turn."""
    judge = row.get("judge")
    return {"attribute": "overall", "judge": str(judge[0]) if isinstance(judge, list) and judge else judge}


def _context(row: LogRecord) -> dict[str, Any]:
    return {"context": f"{row['question_id']}/{row.get('turn') or 1}", "candidates": []}
