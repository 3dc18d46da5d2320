"""Read the columns about a judge's thinking, which recorded comparisons and scores share."""

from sys import intern
from typing import Any

from evenhand.formats.checked_rows import CheckedRow
from evenhand.formats.recorded.recorded_table import read_whole_number

MAX_THINKING_TOKENS = 2**31 - 1  # the database column holds no larger number
CUT_OR_EMPTY = ("empty-reasoning", "cut-reasoning")
PROBLEMS_BY_OUTCOME = {
    "answered": CUT_OR_EMPTY,
    "unparsed": (
        *CUT_OR_EMPTY,
        *("verdict-in-reasoning", "two-verdicts", "refusal", "no-verdict"),
        *("ignored-parameter", "unknown-probability", "other-model"),
    ),
    "error": (),
}


def read_thinking(row: CheckedRow, *, outcome: str) -> dict[str, Any]:
    """Read the thinking of an answer. outcome: of the answer; it decides which problems are possible."""
    return {
        "thinking": row.optional_text("thinking"),
        "thinking_tokens": read_whole_number(row, "thinking_tokens", MAX_THINKING_TOKENS),
        "problem": _read_problem(row, PROBLEMS_BY_OUTCOME[outcome]),
    }


def _read_problem(row: CheckedRow, possible: tuple[str, ...]) -> str:
    if "problem" not in row.values:
        return ""
    if not possible:
        row.add_problem("problem", row.describe("problem"), "no problem for an error")
        return ""
    return intern(row.choice("problem", {problem: problem for problem in possible}))
