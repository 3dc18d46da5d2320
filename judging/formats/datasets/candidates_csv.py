"""A table with one line a candidate and one column per attribute."""

from __future__ import annotations

from collections.abc import Sequence

from judging.formats.checked_rows import LONGEST_KEY, FileRows, Row
from judging.formats.datasets.dataset_builder import Attributes, ContextDraft, DatasetDraft, subset_of
from judging.formats.problems import ProblemLog
from judging.formats.records import CandidateRecord, DatasetRecord

REQUIRED = ("context", "context_text", "candidate", "text")
LISTED = (*REQUIRED, "system", "subset")


def read(files: Sequence[FileRows], log: ProblemLog) -> DatasetRecord:
    """Lines with the same `context` are one context, wherever they stand. An empty cell is no score."""
    draft = DatasetDraft(Attributes())
    for file in files:
        if file.has_columns(REQUIRED, log):
            names = _attribute_names(file, draft.attributes, log)
            for row in file.rows:
                _read_candidate(row, names, draft)
    return DatasetRecord(attributes=draft.attributes.records(), contexts=draft.contexts())


def _attribute_names(file: FileRows, attributes: Attributes, log: ProblemLog) -> list[str]:
    header = Row(file.name, 1, {}, log)
    if "" in file.columns:
        header.problem("", "a column without a name", f"a name; columns beside {', '.join(LISTED)} are attributes")
    names = [column for column in file.columns if column and column not in LISTED]
    for name in names:
        attributes.named(header, name, name)
    return names


def _read_candidate(row: Row, names: Sequence[str], draft: DatasetDraft) -> None:
    key = row.text("context", longest=LONGEST_KEY)
    context = draft.find(key) if key else None
    if context:
        context.expect(row, text="context_text", subset="subset")
    else:
        context = draft.add(row, "context", _context(row, key))
    candidate = CandidateRecord(
        key=row.text("candidate", longest=LONGEST_KEY),
        text=row.optional_text("text"),
        system=row.optional_text("system", longest=LONGEST_KEY),
        scores=draft.attributes.scores(row, [name for name in names if name in row.values]),
    )
    context.add(row, "candidate", candidate)


def _context(row: Row, key: str) -> ContextDraft:
    text = row.text("context_text")
    return ContextDraft(row=row, key=key, text=text, subset=subset_of(row))
