"""Read the WebNLG 2017 human evaluation: one team's text about a set of triples per line [Gardent2017]."""

from __future__ import annotations

from collections.abc import Sequence

from judging.file_problems import ProblemLog
from judging.formats.checked_rows import CheckedRow, FileRows
from judging.formats.datasets.dataset_draft import AttributeCollector, DatasetDraft
from judging.formats.records import AttributeRecord, CandidateRecord, DatasetRecord

_ATTRIBUTE_NAMES = ("fluency", "grammar", "semantics")
_ATTRIBUTES = tuple(AttributeRecord(name, minimum=1, maximum=3) for name in _ATTRIBUTE_NAMES)
WEBNLG_KEYS = ("mr", "team", "text", *_ATTRIBUTE_NAMES)
_INTRODUCTION = "The following are semantic triples of the form (subject|relation|object)\n\n"  # [Liusie2024]


def read_webnlg(files: Sequence[FileRows], log: ProblemLog) -> DatasetRecord:
    """Read a dataset. Lines with the same triples are one context, numbered from 0.

    A candidate's identifier is its team. A text may be empty: one of the systems wrote none for some triples.
    """
    draft = DatasetDraft(AttributeCollector(predefined=_ATTRIBUTES))
    for file in files:
        for row in file if file.has_columns(WEBNLG_KEYS, log) else ():
            _read_row(row, draft)
    return draft.to_record(log, context_noun="passage", candidate_noun="summary")


def _read_row(row: CheckedRow, draft: DatasetDraft) -> None:
    triples, team = row.text("mr"), row.identifier("team")
    context = draft.context_of_source(row, triples, text=_INTRODUCTION + triples.replace("<br>", "\n"))
    candidate = CandidateRecord(
        key=team,
        text=row.optional_text("text"),
        system=team,
        scores=draft.attributes.read_row_scores(row, [name for name in _ATTRIBUTE_NAMES if name in row.values]),
    )
    context.add_candidate(row, "team", candidate)
