"""Verdicts of LLM judges on LLMBar (https://github.com/princeton-nlp/LLMBar), both orders of an item a line.

`winner_ab` is the winner with output 1 first, `winner_ba` with output 2 first: 1 or 2 for an output, null for none.
"""

from __future__ import annotations

from collections.abc import Iterator

from judging.formats.logs.logged_item import LoggedItem, LogRecord, ToolLog

LLMBAR_VERDICT_KEYS = ("dataset", "idx", "judge", "strategy", "winner_ab", "winner_ba")
_ATTRIBUTE = "overall"
_ORDERS = (("1", "2", "winner_ab"), ("2", "1", "winner_ba"))


def read_llmbar_verdicts(log: ToolLog) -> Iterator[LoggedItem]:
    """Yield an item for each line. Its context is the one of LLMBar's own files; the texts are only there."""
    for line, row in log.records:
        context = {"context": f"{str(row['dataset']).rpartition('/')[2]}/{row['idx']}", "candidates": []}
        comparisons = tuple(_comparison(row, *order) for order in _ORDERS)
        yield LoggedItem(line, context, comparisons=comparisons)


def _comparison(row: LogRecord, first: str, second: str, winner_key: str) -> LogRecord:
    """Return one order of an item. The winner is an output, whatever the order."""
    winner = row[winner_key]
    choices = {first: "first", second: "second", "None": "unparsed"}
    return {
        "attribute": _ATTRIBUTE,
        "first": first,
        "second": second,
        "choice": choices.get(str(winner), winner),
        "judge": row["judge"],
        "prompt": row["strategy"],
    }
