"""Annotations by AlpacaEval's judges (`annotations.json`): the preference is 1 plus the probability of output_2.

An instruction with its input is a context, named by a hash of the text, so that it is found again in any order.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from judging.formats.checked_rows import FileRows
from judging.formats.logs.logged_item import LoggedItem, LogRecord, ToolLog, as_text, drop_empty

ALPACA_EVAL_KEYS = ("instruction", "output_1", "output_2", "generator_1", "generator_2", "preference")
_OF_TOOL = {"price_per_example", "raw_completion"}
_SAMPLED = 1_000


def is_judged(file: FileRows) -> bool:
    """Return True if a judge gave the preferences: the tool notes its price, or they are probabilities, no choices."""
    numbers = (row.parse_number("preference") for row in file.first_rows(_SAMPLED))
    return bool(_OF_TOOL & set(file.columns)) or any(number and number % 0.5 for number in numbers)


def read_alpaca_eval(log: ToolLog) -> Iterator[LoggedItem]:
    """Yield an item for each line. The output that the file calls the first is the first of the pair."""
    for line, row in log.records:
        texts = (row.get("output_1"), row.get("output_2"))
        systems = (str(row.get("generator_1")), str(row.get("generator_2")))
        if None in texts or not row.get("instruction") or systems[0] == systems[1]:
            log.skip("lines without an instruction or two outputs of different generators")
            continue
        text = "\n\n".join(filter(None, (row["instruction"], row.get("input"))))
        subset = row.get("dataset")
        key = hashlib.sha256(f"{subset}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()[:12]
        candidates = [
            {"candidate": name, "system": name, "text": text} for name, text in zip(systems, texts, strict=True)
        ]
        context = {"context": key, "text": text, "candidates": candidates, **drop_empty(subset=subset)}
        pair = {"attribute": "overall", "first": systems[0], "second": systems[1], "prompt": row.get("annotator")}
        yield LoggedItem(line, context, comparisons=(pair | _read_answer(row),))


def _read_answer(row: LogRecord) -> dict[str, Any]:
    """Return p_first, or a tie for 0, as older files write it. A preference that is no number stays a problem."""
    preference, reply = row.get("preference"), row.get("raw_completion")
    text = drop_empty(text=as_text(reply.get("text") if isinstance(reply, dict) else reply))
    try:
        number = float(str(preference))
    except ValueError:
        return text | ({"choice": "unparsed"} if preference in (None, "") else {"p_first": preference})
    answer: dict[str, Any] = {"p_first": round(2 - number, 15)} if number else {"choice": "tie"}
    return text | (answer if number == number else {"choice": "unparsed"})
