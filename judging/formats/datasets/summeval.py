"""Read SummEval: one article per line, with its summaries and the mean scores of experts [Fabbri2021]."""

from __future__ import annotations

from collections.abc import Sequence

from judging.file_problems import ProblemLog
from judging.formats.checked_rows import CheckedRow, FileRows
from judging.formats.datasets.dataset_draft import AttributeCollector, DatasetDraft
from judging.formats.records import AttributeRecord, CandidateRecord, DatasetRecord

SUMMEVAL_KEYS = ("id", "source", "candidates")
_ATTRIBUTES = tuple(
    AttributeRecord(name, minimum=1, maximum=5) for name in ("coherence", "consistency", "fluency", "relevance")
)


def read_summeval(files: Sequence[FileRows], log: ProblemLog) -> DatasetRecord:
    """Read a dataset. A candidate's identifier is its system's name."""
    draft = DatasetDraft(AttributeCollector(predefined=_ATTRIBUTES))
    for file in files:
        for row in file:
            _read_context(row, draft)
    return draft.to_record(log, context_noun="passage", candidate_noun="summary")


def _read_context(row: CheckedRow, draft: DatasetDraft) -> None:
    reference = row.text_or_empty("reference")
    context = draft.add_context(row, "id", key=row.identifier("id"), text=row.text("source"), reference=reference)
    for candidate in row.objects("candidates"):
        context.add_candidate(candidate, "system", _read_candidate(candidate, draft.attributes))


def _read_candidate(row: CheckedRow, attributes: AttributeCollector) -> CandidateRecord:
    system, scores = row.identifier("system"), row.object("scores")
    return CandidateRecord(
        key=system,
        text=row.text("text", may_be_empty=True),
        system=system,
        scores=attributes.read_row_scores(scores, scores.values),
    )
