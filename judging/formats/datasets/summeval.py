"""SummEval: an article a line, with its summaries and the mean scores of experts [Fabbri2021]."""

from __future__ import annotations

from collections.abc import Sequence

from judging.formats.checked_rows import FileRows, Row
from judging.formats.datasets.dataset_builder import Attributes, ContextDraft, DatasetDraft
from judging.formats.problems import ProblemLog
from judging.formats.records import AttributeRecord, CandidateRecord, DatasetRecord

KEYS = ("id", "source", "candidates")
USUAL = tuple(
    AttributeRecord(name, minimum=1, maximum=5) for name in ("coherence", "consistency", "fluency", "relevance")
)


def read(files: Sequence[FileRows], log: ProblemLog) -> DatasetRecord:
    """A candidate's identifier is its system's name."""
    draft = DatasetDraft(Attributes(usual=USUAL))
    for file in files:
        for row in file.rows:
            _read_context(row, draft)
    return DatasetRecord(
        context_noun="passage",
        candidate_noun="summary",
        attributes=draft.attributes.records(),
        contexts=draft.contexts(),
    )


def _read_context(row: Row, draft: DatasetDraft) -> None:
    reference = row.extra_text("reference")
    context = ContextDraft(row=row, key=row.name("id"), text=row.text("source"), reference=reference)
    draft.add(row, "id", context)
    for candidate in row.objects("candidates"):
        context.add(candidate, "system", _candidate(candidate, draft.attributes))


def _candidate(row: Row, attributes: Attributes) -> CandidateRecord:
    system, scores = row.name("system"), row.object("scores")
    text = row.text("text", may_be_empty=True)
    return CandidateRecord(key=system, text=text, system=system, scores=attributes.scores(scores, scores.values))
