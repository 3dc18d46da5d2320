"""Read comparisons that a judge made elsewhere, or that an export wrote."""

import math
from operator import attrgetter
from typing import cast

from evenhand.formats.checked_rows import MAX_KEY_LENGTH, MAX_NAME_LENGTH, MAX_NOUN_LENGTH, CheckedRow
from evenhand.formats.mappings.table_layouts import RECORDED_COMPARISON_COLUMNS
from evenhand.formats.recorded.recorded_table import RecordReader, pair_again, read_sides, read_thinking
from evenhand.formats.recorded.spooled_records import RecordForm
from evenhand.formats.records import ComparisonRecord, RecordedChoice

CONTRADICTIONS = "choices that contradict their p_first, which counts"
_CHOICES: dict[str | int, str] = {choice: choice for choice in RECORDED_COMPARISON_COLUMNS.meanings}


def _make_comparison(row: CheckedRow) -> ComparisonRecord:
    first, second = read_sides(row)
    if "p_first" not in row.values and "choice" not in row.values:
        row.add_problem("", "neither p_first nor choice", "one of them")
    choice = row.choice("choice", _CHOICES) if "choice" in row.values else ""
    p_first = row.number("p_first", 0, 1) if "p_first" in row.values else None
    if choice and p_first is not None and choice != _decision(p_first):
        row.count(CONTRADICTIONS, f"{p_first:g} and {choice}")
    return ComparisonRecord(
        file=row.file,
        line=row.line,
        context=row.text("context", max_length=MAX_KEY_LENGTH),
        attribute=row.text("attribute", max_length=MAX_NAME_LENGTH),
        first=first,
        second=second,
        p_first=p_first,
        choice=cast(RecordedChoice, choice),
        prompt=row.optional_text("prompt", max_length=MAX_NAME_LENGTH) or "recorded",
        method=row.optional_text("method", max_length=MAX_NOUN_LENGTH) or "comparative",
        judge=row.optional_text("judge", max_length=MAX_NAME_LENGTH),
        text=row.optional_text("text"),
        raw_first=_read_log_probability(row, "raw_first"),
        raw_second=_read_log_probability(row, "raw_second"),
        raw_tie=_read_log_probability(row, "raw_tie"),
        error=row.optional_text("error"),
        p_first_before=row.number("p_first_before", 0, 1) if "p_first_before" in row.values else None,
        **read_thinking(row, outcome=_outcome(row, choice)),
    )


def _decision(p_first: float) -> str:
    return "tie" if p_first == 0.5 else "first" if p_first > 0.5 else "second"


def _outcome(row: CheckedRow, choice: str) -> str:
    """Return the outcome of the answer. A row with a probability is answered, whatever its choice."""
    return choice if choice in {"unparsed", "error"} and "p_first" not in row.values else "answered"


def _read_log_probability(row: CheckedRow, key: str) -> float | None:
    """Read a log-probability in nats, which may be minus infinity; None if the key is missing."""
    if key not in row.values:
        return None
    if row.values[key] in ("-inf", "-Infinity", -math.inf):
        return -math.inf
    return row.number(key)


COMPARISON_READER = RecordReader(
    RECORDED_COMPARISON_COLUMNS,
    make_record=_make_comparison,
    form=RecordForm(attrgetter(*ComparisonRecord.__slots__), lambda values: ComparisonRecord(*values)),
    key_of=attrgetter("context", "attribute", "first", "second", "judge", "prompt", "method"),
    repetition=lambda earlier, one: pair_again(one.first, one.second),
    once="each ordered pair once",
)
read_comparisons = COMPARISON_READER.read
