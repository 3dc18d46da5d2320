"""Read pairs with a known answer: gold pairs and training pairs of a campaign."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from judging.file_problems import ProblemLog, describe_value
from judging.formats.checked_rows import MAX_KEY_LENGTH, CheckedRow, FileRows
from judging.formats.source_files import SourceFile
from judging.formats.tables.opening import open_files

MOST_KNOWN_PAIRS = 10_000
MOST_KNOWN_PAIR_BYTES = 16 * 2**20
KNOWN_PAIR_COLUMNS = ("context", "first", "second", "answer")
KNOWN_PAIR_DETAILS = ("attribute", "explanation")
KNOWN_ANSWERS = ("first", "second", "tie")
LONGEST_EXPLANATION = 2_000


@dataclass(frozen=True, slots=True)
class KnownPair:
    """A pair, given by the keys of its context and candidates, with its answer.

    answer: "first", "second" or "tie". explanation: shown to annotators after a training pair.
    attribute: its name; empty for the only attribute of the campaign.
    file, line: where it was read; empty and 0 for a pair that was not read from a file.
    """

    context: str
    first: str
    second: str
    answer: str
    explanation: str = ""
    attribute: str = ""
    file: str = ""
    line: int = 0


def read_known_pairs(file: SourceFile) -> list[KnownPair]:
    """Read the pairs of a table or of JSON Lines, with KNOWN_PAIR_COLUMNS and optional KNOWN_PAIR_DETAILS.

    Raises InvalidFile with every problem.
    """
    log = ProblemLog([file.name])
    pairs: list[KnownPair] = []
    with open_files([file], log, max_bytes=MOST_KNOWN_PAIR_BYTES) as opened:
        for rows in opened:
            pairs += _read_pairs(rows, log)
    if not pairs and not len(log):
        log.add(file.name, None, "", "no line", "at least one pair")
    if len(pairs) > MOST_KNOWN_PAIRS:
        log.add(file.name, None, "", f"{len(pairs):,} pairs", f"at most {MOST_KNOWN_PAIRS:,}")
    _refuse_pairs_twice(pairs, log)
    log.raise_if_any(records=pairs)
    return pairs


def _read_pairs(rows: FileRows, log: ProblemLog) -> Iterator[KnownPair]:
    if rows.is_table and not rows.has_columns(KNOWN_PAIR_COLUMNS, log):
        return
    for row in rows:
        row.refuse_unknown_keys((*KNOWN_PAIR_COLUMNS, *KNOWN_PAIR_DETAILS))
        yield _make_pair(row)


def _make_pair(row: CheckedRow) -> KnownPair:
    context, first, second = (row.text(name, max_length=MAX_KEY_LENGTH) for name in ("context", "first", "second"))
    if first and first == second:
        row.add_problem("second", describe_value(second), "a candidate other than first")
    answer = row.choice("answer", {one: one for one in KNOWN_ANSWERS})
    attribute = row.optional_text("attribute", max_length=MAX_KEY_LENGTH)
    explanation = row.optional_text("explanation")
    if len(explanation) > LONGEST_EXPLANATION:
        row.add_problem("explanation", describe_value(explanation), f"at most {LONGEST_EXPLANATION} characters")
    return KnownPair(context, first, second, answer, explanation, attribute, row.file, row.line)


def _refuse_pairs_twice(pairs: list[KnownPair], log: ProblemLog) -> None:
    lines: dict[tuple[str, str, frozenset[str]], int] = {}
    for pair in pairs:
        key = (pair.attribute, pair.context, frozenset((pair.first, pair.second)))
        if key in lines:
            named = f"{describe_value(pair.first)} against {describe_value(pair.second)} again"
            log.add(pair.file, pair.line, "", named, f"each pair once; line {lines[key]} has it already")
        lines.setdefault(key, pair.line)
