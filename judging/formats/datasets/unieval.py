"""Read UniEval-style rows: one output of one system per row; rows with the same source are one context [Zhong2022]."""

from __future__ import annotations

from collections.abc import Sequence

from judging.file_problems import ProblemLog
from judging.formats.checked_rows import CheckedRow, FileRows
from judging.formats.datasets.dataset_draft import AttributeCollector, DatasetDraft
from judging.formats.records import AttributeRecord, CandidateRecord, DatasetRecord

UNIEVAL_KEYS = ("source", "system_id", "system_output", "scores")

# The six questions that USR asks about Topical-Chat [Mehri2020]. UniEval renamed two of them, and comparative
# assessment [Liusie2024] calls another one "coherence" than UniEval does. The definitions give all names.
TOPICAL_CHAT_ATTRIBUTES = (
    AttributeRecord(
        "understandability",
        definition="Is the response understandable given the dialogue? "
        '("Understandable" in USR; "coherence" in comparative assessment)',
        minimum=0,
        maximum=1,
    ),
    AttributeRecord("naturalness", minimum=1, maximum=3),
    AttributeRecord(
        "coherence",
        definition="Is the response a valid continuation of the dialogue? "
        '("Maintains Context" in USR; "continuity" in comparative assessment)',
        minimum=1,
        maximum=3,
    ),
    AttributeRecord("engagingness", minimum=1, maximum=3),
    AttributeRecord("groundedness", minimum=0, maximum=1),
    AttributeRecord("overall", minimum=1, maximum=5),
)


def read_unieval(files: Sequence[FileRows], log: ProblemLog) -> DatasetRecord:
    """Read a dataset. Contexts are numbered from 0; a candidate's identifier is its system's."""
    first = next((row for file in files for row in file.peek(1)), None)
    is_topical_chat = first is not None and _is_topical_chat(first)
    draft = DatasetDraft(AttributeCollector(predefined=TOPICAL_CHAT_ATTRIBUTES if is_topical_chat else ()))
    for file in files:
        for row in file:
            _read_row(row, draft)
    is_dialogue = first is not None and "context" in first.values
    return draft.to_record(
        log,
        context_noun="dialogue" if is_dialogue else "passage",
        candidate_noun="response" if is_dialogue else "summary",
    )


def _is_topical_chat(row: CheckedRow) -> bool:
    scores = row.values.get("scores")
    names = {attribute.name for attribute in TOPICAL_CHAT_ATTRIBUTES}
    return "context" in row.values and isinstance(scores, dict) and set(scores) == names


def _read_row(row: CheckedRow, draft: DatasetDraft) -> None:
    source = row.text("source")
    reference = row.text_or_empty("reference")
    context = draft.context_of_source(row, source, text=source, reference=reference, reference_key="reference")
    system, scores = row.identifier("system_id"), row.object("scores")
    candidate = CandidateRecord(
        key=system,
        text=row.text("system_output", may_be_empty=True),
        system=system,
        scores=draft.attributes.read_row_scores(scores, scores.values),
    )
    context.add_candidate(row, "system_id", candidate)
