"""Annotations of AlpacaEval (`annotations.json`) and of JudgeArena 0.3, formerly OpenJury (`…-annotations.csv`).

Each line is one pair that a judge compared. AlpacaEval's preference is 1 plus the probability of output_2. There an
instruction with its input is a context, named by a hash of the text, so that it is found again in any order.

JudgeArena's preference is P(B is better), from the column `parsed`. Older files have the scores that the judge wrote
as `score_A` and `score_B`: then only the decision is known. Both orders of a pair are comparisons of one context.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from typing import Any

from evenhand.formats.checked_rows import FileRows
from evenhand.formats.logs.logged_item import LoggedItem, LogRecord, ToolLog, as_text, drop_empty

ALPACA_EVAL_KEYS = ("instruction", "output_1", "output_2", "generator_1", "generator_2", "preference")
JUDGE_ARENA_KEYS = ("instruction", "completion_A", "completion_B", "judge_completion")
_OF_ALPACA_EVAL = {"price_per_example", "raw_completion"}
_SAMPLED = 1_000
_PREFERENCE = re.compile(r"preference['\"]?\s*[=:]\s*(?:np\.float64\()?(\d*\.?\d+(?:e-?\d+)?)")
_SCORE = re.compile(r"score[ _]*([AB])['\"*]*\s*[:=]\s*(?:['\"*]+\s*)?(-?\d+(?:\.\d+)?)", re.IGNORECASE)


def is_judged(file: FileRows) -> bool:
    """Return True if a judge gave AlpacaEval's preferences: it notes the price, or they are probabilities."""
    numbers = (row.parse_number("preference") for row in file.first_rows(_SAMPLED))
    return bool(_OF_ALPACA_EVAL & set(file.columns)) or any(number and number % 0.5 for number in numbers)


def read_alpaca_eval(log: ToolLog) -> Iterator[LoggedItem]:
    """Yield an item for each line. The output that the file calls the first is the first of the pair."""
    for line, row in log.records:
        instruction, subset = row.get("instruction"), row.get("dataset")
        text = instruction and "\n\n".join(filter(None, (instruction, row.get("input"))))
        key = hashlib.sha256(f"{subset}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()[:12]
        context = {"context": key, "text": text, **drop_empty(subset=subset)}
        systems, outputs = ([row.get(f"{name}_{side}") for side in "12"] for name in ("generator", "output"))
        reply = row.get("raw_completion")
        given = {
            "prompt": row.get("annotator"),
            "text": as_text(reply.get("text") if isinstance(reply, dict) else reply),
        }
        answer = given | _read_preference(row.get("preference"))
        yield from _judged_pair(log, line, context, systems, outputs, answer)


def read_judge_arena(log: ToolLog) -> Iterator[LoggedItem]:
    """Yield an item for each line."""
    for line, row in log.records:
        number = row.get("instruction_index")
        context = {"context": str(line if number is None else number), "text": row.get("instruction")}
        systems = [row.get(f"model_{side}") or side for side in "AB"]
        outputs = [row.get(f"completion_{side}") for side in "AB"]
        reply = str(row.get("judge_completion") or "")
        given = {"prompt": row.get("prompt_preset"), "text": reply}
        answer = given | _read_scores(str(row.get("parsed") or ""), reply)
        yield from _judged_pair(log, line, context, systems, outputs, answer)


def _judged_pair(
    log: ToolLog,
    line: int,
    context: dict[str, Any],
    systems: Sequence[object],
    outputs: Sequence[object],
    answer: LogRecord,
) -> Iterator[LoggedItem]:
    """Yield the two outputs in the order shown, with the judge's answer. A line that lacks something is counted."""
    first, second = map(str, systems)
    if not context["text"] or None in outputs or first == second:
        log.skip("lines without an instruction or two texts of different systems")
        return
    candidates = [
        {"candidate": name, "system": name, "text": text} for name, text in zip((first, second), outputs, strict=True)
    ]
    comparison = {"attribute": "overall", "first": first, "second": second, **answer}
    yield LoggedItem(line, {**context, "candidates": candidates}, comparisons=(comparison,))


def _read_preference(preference: object) -> dict[str, Any]:
    """Return p_first, or a tie for 0, as older files write it. A preference that is no number stays a problem."""
    try:
        number = float(str(preference))
    except ValueError:
        return {"choice": "unparsed"} if preference in (None, "") else {"p_first": preference}
    if number != number:
        return {"choice": "unparsed"}
    return {"p_first": round(2 - number, 15)} if number else {"choice": "tie"}


def _read_scores(parsed: str, reply: str) -> dict[str, Any]:
    if preference := _PREFERENCE.search(parsed):
        return {"p_first": 1 - float(preference[1])}
    scores = {side.upper(): float(number) for side, number in _SCORE.findall(reply)}
    if len(scores) < 2:
        return {"choice": "unparsed"}
    difference = scores["A"] - scores["B"]
    return {"choice": "first" if difference > 0 else "second" if difference else "tie"}
