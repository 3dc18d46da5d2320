"""WebNLG 2017 human evaluation: one text of one team a line, about a set of triples [Gardent2017]."""

from __future__ import annotations

from collections.abc import Sequence

from judging.formats.checked_rows import FileRows, Row
from judging.formats.datasets.dataset_builder import Attributes, DatasetDraft
from judging.formats.problems import ProblemLog
from judging.formats.records import AttributeRecord, CandidateRecord, DatasetRecord

ATTRIBUTES = ("fluency", "grammar", "semantics")
KEYS = ("mr", "team", "text", *ATTRIBUTES)
USUAL = tuple(AttributeRecord(name, minimum=1, maximum=3) for name in ATTRIBUTES)
INTRODUCTION = "The following are semantic triples of the form (subject|relation|object)\n\n"  # [Liusie2024]


def read(files: Sequence[FileRows], log: ProblemLog) -> DatasetRecord:
    """Lines with the same triples are one context, numbered from 0; a candidate's identifier is its team.

    A text may be empty: one of the systems gave none for some triples.
    """
    draft = DatasetDraft(Attributes(usual=USUAL))
    for file in files:
        for row in file.rows if file.has_columns(KEYS, log) else ():
            _read_row(row, draft)
    return DatasetRecord(
        context_noun="passage",
        candidate_noun="summary",
        attributes=draft.attributes.records(),
        contexts=draft.contexts(),
    )


def _read_row(row: Row, draft: DatasetDraft) -> None:
    triples, team = row.text("mr"), row.name("team")
    context = draft.about(row, triples, text=INTRODUCTION + triples.replace("<br>", "\n"))
    candidate = CandidateRecord(
        key=team,
        text=row.optional_text("text"),
        system=team,
        scores=draft.attributes.scores(row, [name for name in ATTRIBUTES if name in row.values]),
    )
    context.add(row, "team", candidate)
