"""Read tables of each layout by a mapping."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import cast

from evenhand.file_problems import ProblemLog, describe_value
from evenhand.formats.checked_rows import MAX_NAME_LENGTH, FileRows
from evenhand.formats.datasets.dataset_draft import OVERALL_ATTRIBUTE, AttributeCollector, ContextDraft, DatasetDraft
from evenhand.formats.mappings.choice_reading import read_choices
from evenhand.formats.mappings.column_guess import names_field
from evenhand.formats.mappings.column_values import SAMPLED_ROWS
from evenhand.formats.mappings.mapped_rows import MappedRow, is_answer
from evenhand.formats.mappings.table_mapping import TableMapping, has_columns
from evenhand.formats.records import CandidateRecord, DatasetRecord, VoteChoice, VoteRecord

WITHOUT_TEXTS = (
    "there are no texts of candidates: judges cannot be asked, annotators cannot vote, and figures about lengths and "
    "texts are not applicable; everything about votes works"
)
NO_VOTE = ("", "none")  # choices
GOLD_RATER = "gold"  # of votes in a table that names no rater
MARKED = {"1", "1.0", "true", "yes", "x"}  # values of a column that marks the winner
NOT_MARKED = {"", "0", "0.0", "false", "no"}


def read_mapped(files: Sequence[FileRows], log: ProblemLog, mapping: TableMapping) -> DatasetRecord:
    """Read one dataset from all files by a mapping of their columns."""
    draft = DatasetDraft(AttributeCollector())
    ignored = mapping.ignored(list_columns(files))
    unread_texts = [name for name in ignored if names_field(name, "context_text")]
    if not any(map(is_answer, mapping.columns)):
        log.notes.append(WITHOUT_TEXTS)
    for file in files:
        for row in file if has_columns(mapping, file.name, list_columns([file]), log) else ():
            _ROW_READERS[mapping.layout](MappedRow(row, mapping, unread_texts), draft)
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
    for name, column in named.items():
        attributes.get_or_add(row.row, column, name)
    scores = {name: row.score(column) for name, column in named.items()}
    return {name: score for name, score in scores.items() if score is not None}


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
    context = draft.add_context(row.row, row.mapping.columns.get("context", ""), key=key, **row.context_values())
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
    context.add_once(row.row, "", CandidateRecord(key, text, system))
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
    column = row.mapping.columns.get(f"text_{side}", "")
    context.add_once(row.row, column, CandidateRecord(key, text, row.system(f"system_{side}")))
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
    choices = [*read_choices(row), *_read_marks(row)]
    votes = [(_read_rater(row, rater), name, choice) for rater, name, choice in choices if choice not in NO_VOTE]
    if choices and not votes:
        row.row.count("lines without a vote, whose pairs are kept")
    return votes


def _read_rater(row: MappedRow, name: str = "") -> str:
    """Return the rater of a line, or the one whose column this is."""
    if name:
        return row.row.check_text(row.mapping.columns[f"vote:{name}"], name, max_length=MAX_NAME_LENGTH)
    return row.name("rater") if "rater" in row.mapping.columns else GOLD_RATER


def _read_marks(row: MappedRow) -> _Votes:
    """Return the side that one of several columns marks, as `winner_model_a` does, like a column of choices."""
    marked = []
    for meaning in row.mapping.named("won:"):
        mark = row.text(f"won:{meaning}").strip().lower()
        if mark in MARKED:
            marked.append(meaning)
        elif mark not in NOT_MARKED:
            row.add_problem(f"won:{meaning}", describe_value(mark), "1 or 0")
    if len(marked) > 1:
        row.add_problem(f"won:{marked[1]}", "a second winner", "one marked column on a line")
    return [("", "", marked[0] if marked else "")] if row.mapping.named("won:") else []


_RowReader = Callable[[MappedRow, DatasetDraft], None]
_ROW_READERS: Mapping[str, _RowReader] = {
    "candidates": _read_candidate,
    "wide": _read_wide,
    "pairs": _read_pair,
    "votes": _read_vote,
}
