"""Read our own CSV format: one line per candidate and one column per attribute."""

from collections.abc import Sequence

from evenhand.file_problems import ProblemLog
from evenhand.formats.checked_rows import MAX_KEY_LENGTH, MAX_NAME_LENGTH, CheckedRow, FileRows
from evenhand.formats.datasets.dataset_draft import AttributeCollector, DatasetDraft, read_subset
from evenhand.formats.records import CandidateRecord, DatasetRecord

CANDIDATES_CSV_KEYS = ("context", "context_text", "candidate", "text")
_FIXED_COLUMNS = (*CANDIDATES_CSV_KEYS, "system", "subset")


def read_candidates_csv(files: Sequence[FileRows], log: ProblemLog) -> DatasetRecord:
    """Read a dataset. Lines with the same `context` are one context, in any order. An empty cell is no score."""
    draft = DatasetDraft(AttributeCollector())
    for file in files:
        names = _read_attribute_names(file, draft.attributes, log)
        for row in file:
            _read_candidate(row, names, draft)
    return draft.to_record(log)


def _read_attribute_names(file: FileRows, attributes: AttributeCollector, log: ProblemLog) -> list[str]:
    header = CheckedRow(file.name, 1, {}, log)
    if "" in file.columns:
        expected = f"a name; all columns except {', '.join(_FIXED_COLUMNS)} are attributes"
        header.add_problem("", "a column without a name", expected)
    names = [column for column in file.columns if column and column not in _FIXED_COLUMNS]
    for name in names:
        attributes.get_or_add(header, name, name)
    return names


def _read_candidate(row: CheckedRow, attribute_names: Sequence[str], draft: DatasetDraft) -> None:
    key = row.text("context", max_length=MAX_KEY_LENGTH)
    context = draft.find_context(key)
    if context is None:
        context = draft.add_context(row, "context", key=key, text=row.text("context_text"), subset=read_subset(row))
    else:
        subset = row.optional_text("subset", max_length=MAX_NAME_LENGTH)
        context.require_same(row, "context_text", row.optional_text("context_text"), context.values.text)
        context.require_same(row, "subset", subset, context.values.subset)
    candidate = CandidateRecord(
        key=row.text("candidate", max_length=MAX_KEY_LENGTH),
        text=row.optional_text("text"),
        system=row.optional_text("system", max_length=MAX_KEY_LENGTH),
        scores=draft.attributes.read_row_scores(row, attribute_names),
    )
    context.add_candidate(row, "candidate", candidate)
