"""Read tables of each layout by a mapping."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast

from judging.file_problems import ProblemLog, describe_value
from judging.formats.checked_rows import MAX_NAME_LENGTH, FileRows
from judging.formats.datasets.dataset_draft import OVERALL_ATTRIBUTE, AttributeCollector, ContextDraft, DatasetDraft
from judging.formats.mappings.choice_reading import read_choice
from judging.formats.mappings.column_guess import names_field
from judging.formats.mappings.column_values import SAMPLED_ROWS
from judging.formats.mappings.mapped_rows import MappedRow, is_answer
from judging.formats.mappings.reading_notes import ReadingNotes, is_missing_score
from judging.formats.mappings.table_mapping import (
    MEANINGS,
    TableMapping,
    find_missing_columns,
    is_choice,
    is_number,
)
from judging.formats.records import CandidateRecord, DatasetRecord, VoteChoice, VoteRecord

_OR_NO_SCORE = ", or an empty cell for no score; for words: --choice NUMBER=WORD"
WITHOUT_TEXTS = (
    "there are no texts of candidates: judges cannot be asked, annotators cannot vote, and figures about lengths and "
    "texts are not applicable; everything about votes works"
)
GOLD_RATER = "gold"  # of votes in a table that names no rater
MARKED = {"1", "1.0", "true", "yes", "x"}  # values of a column that marks the winner
NOT_MARKED = {"", "0", "0.0", "false", "no"}


def read_mapped(files: Sequence[FileRows], log: ProblemLog, mapping: TableMapping) -> DatasetRecord:
    """Read one dataset from all files by a mapping of their columns."""
    draft = DatasetDraft(AttributeCollector())
    read_row = _ROW_READERS[mapping.layout]
    ignored = mapping.ignored(list_columns(files))
    notes = ReadingNotes(
        has_several_files=len(files) > 1, unread_texts=[name for name in ignored if names_field(name, "context_text")]
    )
    for file in files:
        missing = list(find_missing_columns(mapping, file.name, list(_columns_of(file))))
        for problem in missing:
            log.add(problem.file, problem.line, problem.field, problem.value, problem.expected)
        for row in file if not missing else ():
            read_row(MappedRow(row, mapping, notes), draft)
    log.notes += notes.sentences() if any(map(is_answer, mapping.columns)) else (WITHOUT_TEXTS, *notes.sentences())
    return replace(draft.to_record(log), ignored=tuple(ignored))


def list_columns(files: Sequence[FileRows]) -> list[str]:
    """Return the columns of all files, in order."""
    return list(dict.fromkeys(column for file in files for column in _columns_of(file)))


def _columns_of(file: FileRows) -> dict[str, None]:
    """Return the columns of a file, in order. Objects may have keys that the first one lacks."""
    further = () if file.is_table else file.first_rows(SAMPLED_ROWS)
    return dict.fromkeys(file.columns) | {name: None for row in further for name in row.values}


def _read_candidate(row: MappedRow, draft: DatasetDraft) -> None:
    context = row.find_or_add_context(draft)
    text, system = row.text("text"), row.system("system")
    key = row.key("candidate") if "candidate" in row.mapping.columns else context.key_of_text(system, text)
    scores = _read_scores(row, draft.attributes, row.mapping.named("score:"))
    candidate = CandidateRecord(key, text, system, scores)
    if "rater" in row.mapping.columns:
        rater = row.name("rater")
        candidate = replace(candidate, scores={}, ratings={name: {rater: score} for name, score in scores.items()})
    earlier = context.find_candidate(key)
    if earlier is None:
        context.add_candidate(row.row, row.mapping.columns.get("candidate", ""), candidate)
    else:
        _merge_candidate(row, context, earlier, candidate)


def _read_scores(row: MappedRow, attributes: AttributeCollector, columns: Mapping[str, str]) -> dict[str, float]:
    """Return attribute -> number. columns: attribute -> column; `score` is the number of `attribute`, if mapped."""
    named = dict(columns)
    if "attribute" in row.mapping.columns and row.has("score"):
        named[row.name("attribute")] = row.mapping.columns["score"]
    scores: dict[str, float] = {}
    for name, column in named.items():
        attributes.get_or_add(row.row, column, name)
        value = row.row.values.get(column)
        meaning = row.mapping.meaning_of(value) if isinstance(value, str) else ""
        if meaning:
            scores |= {name: float(meaning)} if is_number(meaning) else {}
        elif is_missing_score(value):
            row.notes.add_missing_score(value)
        elif value not in (None, "") and not row.notes.has_refused(row.row, column):
            number = row.row.number(column, or_else=_OR_NO_SCORE)
            scores |= {} if number is None else {name: number}
    return scores


def _merge_candidate(
    row: MappedRow, context: ContextDraft, earlier: CandidateRecord, candidate: CandidateRecord
) -> None:
    """Add the scores of a further line to a candidate. Log a problem if they are not new."""
    if (earlier.text, earlier.system) != (candidate.text, candidate.system):
        expected = f"the text and system of candidate {describe_value(earlier.key)} as on its first line"
        row.add_problem("text", describe_value(candidate.text), expected)
    may_repeat = {"rater", "attribute"} & row.mapping.columns.keys()
    repeated = _judged(earlier) & _judged(candidate)
    if repeated or not may_repeat:
        expected = "each candidate once for a context; map the column that differs to candidate, rater or attribute"
        row.add_problem("text", f"{describe_value(candidate.key)} again", expected)
        return
    ratings = {name: dict(by_rater) for name, by_rater in earlier.ratings.items()}
    for name, by_rater in candidate.ratings.items():
        ratings.setdefault(name, {}).update(by_rater)
    context.replace_candidate(replace(earlier, scores={**earlier.scores, **candidate.scores}, ratings=ratings))


def _judged(candidate: CandidateRecord) -> set[tuple[str, str]]:
    """Return attribute and rater of each score and rating."""
    ratings = {(name, rater) for name, by_rater in candidate.ratings.items() for rater in by_rater}
    return ratings | {(name, "") for name in candidate.scores}


def _read_wide(row: MappedRow, draft: DatasetDraft) -> None:
    """Read the candidates of one context. A system without a text on this line has no candidate."""
    key = row.key("context") if "context" in row.mapping.columns else draft.next_number()
    context = draft.add_context(
        row.row,
        row.mapping.columns.get("context", ""),
        key=key,
        text=row.context_text(),
        subset=row.subset(),
        reference=row.text("reference"),
        fields=row.fields(),
    )
    for system, column in row.mapping.named("text:").items():
        field = f"text:{system}"
        if row.has(field):
            scores = _read_scores(row, draft.attributes, row.mapping.named(f"score:{system}:"))
            context.add_candidate(row.row, column, CandidateRecord(system, row.text(field), system, scores))


def _read_pair(row: MappedRow, draft: DatasetDraft) -> None:
    """Read one pair, or each chosen text against each rejected one."""
    context = row.find_or_add_context(draft)
    is_preference = "chosen" in row.mapping.columns
    first_texts = row.texts("chosen") if is_preference else [row.text("text_first")]
    second_texts = row.texts("rejected") if is_preference else [row.text("text_second")]
    firsts = [_add_text(row, context, "system_first", text) for text in first_texts]
    seconds = [_add_text(row, context, "system_second", text, other_than=firsts[0]) for text in second_texts]
    votes = [(_read_rater(row), "", "first")] if is_preference else _read_votes(row)
    for first in firsts:
        for second in seconds:
            _add_votes(row, draft, context, first, second, votes)


def _add_text(row: MappedRow, context: ContextDraft, field: str, text: str, *, other_than: str = "") -> str:
    """Return the key of a text. The text is a new candidate unless the context has it from this system."""
    system = row.system(field)
    key = context.key_of_text(system, text, other_than=other_than)
    if context.find_candidate(key) is None:
        context.add_candidate(row.row, "", CandidateRecord(key, text, system))
    return key


def _read_vote(row: MappedRow, draft: DatasetDraft) -> None:
    """Read one vote on two candidates that are named by their identifiers."""
    context = row.find_or_add_context(draft)
    first, second = (_add_named_candidate(row, context, side) for side in ("first", "second"))
    if first and first == second:
        row.add_problem("second", describe_value(second), "a candidate other than first")
    else:
        _add_votes(row, draft, context, first, second, _read_votes(row))


def _add_named_candidate(row: MappedRow, context: ContextDraft, side: str) -> str:
    """Return the key of a side's candidate, which must have the same text on all lines."""
    key, text = row.key(side), row.text(f"text_{side}")
    earlier = context.find_candidate(key)
    if earlier is None:
        context.add_candidate(row.row, "", CandidateRecord(key, text, row.system(f"system_{side}")))
    elif text != earlier.text:
        expected = f"the text of candidate {describe_value(key)} as on its first line"
        row.add_problem(f"text_{side}", describe_value(text), expected)
    return key


_Votes = Sequence[tuple[str, str, str]]  # rater, attribute ("" for that of the line) and choice


def _add_votes(
    row: MappedRow, draft: DatasetDraft, context: ContextDraft, first: str, second: str, votes: _Votes
) -> None:
    columns = row.mapping.columns
    for rater, question, choice in votes:
        name = question or (row.name("attribute") if "attribute" in columns else OVERALL_ATTRIBUTE)
        attribute = draft.attributes.get_or_add(row.row, columns.get("attribute", ""), name)
        context.add_vote(VoteRecord(attribute.name, first, second, cast(VoteChoice, choice), rater))


def _read_votes(row: MappedRow) -> _Votes:
    """Return rater, attribute and choice of each vote on this line. A line without a vote is noted."""
    votes = list(_find_votes(row))
    if not votes and any(is_choice(field) or field.startswith("won:") for field in row.mapping.columns):
        row.notes.add_line_without_vote(row.row)
    return votes


def _find_votes(row: MappedRow) -> Iterator[tuple[str, str, str]]:
    """Yield rater, attribute and choice of each vote on this line. An empty choice is no vote."""
    for field, column in row.mapping.columns.items():
        if not is_choice(field) or not row.has(field):
            continue
        kind, _, name = field.partition(":")
        choice = read_choice(row.row, column, row.mapping)
        if choice and choice != "none":
            is_rater = kind == "vote"
            yield (
                row.row.check_text(column, name, max_length=MAX_NAME_LENGTH) if is_rater else _read_rater(row),
                "" if is_rater else name,
                choice,
            )
    if mark := _read_marks(row):
        yield _read_rater(row), "", mark


def _read_rater(row: MappedRow) -> str:
    return row.name("rater") if "rater" in row.mapping.columns else GOLD_RATER


def _read_marks(row: MappedRow) -> str:
    """Return the side that one of several columns marks, as `winner_model_a` does."""
    marks = {
        meaning: row.text(f"won:{meaning}").strip().lower()
        for meaning in MEANINGS
        if f"won:{meaning}" in row.mapping.columns
    }
    for meaning, mark in marks.items():
        if mark not in MARKED | NOT_MARKED:
            row.add_problem(f"won:{meaning}", describe_value(mark), "1 or 0")
    marked = [meaning for meaning, mark in marks.items() if mark in MARKED]
    if len(marked) > 1:
        row.add_problem(f"won:{marked[1]}", "a second winner", "one marked column on a line")
    return marked[0] if marked else ""


_RowReader = Callable[[MappedRow, DatasetDraft], None]
_ROW_READERS: Mapping[str, _RowReader] = {
    "candidates": _read_candidate,
    "wide": _read_wide,
    "pairs": _read_pair,
    "votes": _read_vote,
}
