"""Judgments by the judges of LLMBar's and MT-Bench's authors. The texts are only in the files of these datasets.

LLMBar (https://github.com/princeton-nlp/LLMBar) has both orders of an item on a line. `winner_ab` is the winner with
output 1 first, `winner_ba` with output 2 first: 1 or 2 for an output, null for none.

MT-Bench (FastChat) has grades (`…_single.jsonl`), and games (`…_pair.jsonl`) in both orders. A turn of a question is a
context, as in MT-Bench's human judgments. The score -1 means that the reply has no rating.
"""

from collections.abc import Iterator
from typing import Any

from evenhand.formats.logs.logged_item import LoggedItem, LogRecord, ToolLog

LLMBAR_VERDICT_KEYS = ("dataset", "idx", "judge", "strategy", "winner_ab", "winner_ba")
GRADE_KEYS = ("question_id", "model", "judge", "score")
GAME_KEYS = ("question_id", "model_1", "model_2", "g1_winner")
_FAILED = "$ERROR$"  # in place of a reply


def read_llmbar_verdicts(log: ToolLog) -> Iterator[LoggedItem]:
    """Yield an item for each line."""
    for line, row in log.records:
        given = {"judge": row["judge"], "prompt": row["strategy"]}
        orders = (("1", "2", row["winner_ab"]), ("2", "1", row["winner_ba"]))
        verdicts = tuple(given | _comparison(first, second, winner) for first, second, winner in orders)
        yield LoggedItem(line, _context(str(row["dataset"]).rpartition("/")[2], row["idx"]), comparisons=verdicts)


def read_grades(log: ToolLog) -> Iterator[LoggedItem]:
    """Yield an item for each grade."""
    for line, row in log.records:
        reply, score = row.get("judgment"), row["score"]
        grade = {"attribute": "overall", "candidate": str(row["model"]), "score": None if score == -1 else score}
        grade |= _judge_of(row) | {"error" if reply == _FAILED else "text": reply}
        yield LoggedItem(line, _context(row["question_id"], row.get("turn") or 1), (grade,))


def read_games(log: ToolLog) -> Iterator[LoggedItem]:
    """Yield an item for each line. The winner is named by its model, whatever the order."""
    for line, row in log.records:
        orders = (("model_1", "model_2", "g1"), ("model_2", "model_1", "g2"))
        games = tuple(_game(row, *order) for order in orders if row.get(f"{order[2]}_winner") is not None)
        yield LoggedItem(line, _context(row["question_id"], row.get("turn") or 1), comparisons=games)


def _game(row: LogRecord, first: str, second: str, game: str) -> LogRecord:
    pair = {"first": str(row[first]), "second": str(row[second]), "text": row.get(f"{game}_judgment")}
    return _comparison(first, second, row[f"{game}_winner"]) | _judge_of(row) | pair


def _comparison(first: str, second: str, winner: object) -> dict[str, Any]:
    """Return a comparison of two texts in the order shown. A winner that is none of them stays as it is."""
    choices = {first: "first", second: "second", "None": "unparsed"}
    return {"attribute": "overall", "first": first, "second": second, "choice": choices.get(str(winner), winner)}


def _judge_of(row: LogRecord) -> dict[str, Any]:
    """Return the judge of MT-Bench. Its prompt, the second part of the name, depends on question and turn."""
    judge = row.get("judge")
    return {"judge": str(judge[0]) if isinstance(judge, list) and judge else judge}


def _context(name: object, number: object) -> dict[str, Any]:
    return {"context": f"{name}/{number}", "candidates": []}
