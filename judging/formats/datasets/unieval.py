"""UniEval-style rows: one output of one system a row, rows with the same source being one context [Zhong2022]."""

from __future__ import annotations

from collections.abc import Sequence

from judging.formats.checked_rows import FileRows, Row
from judging.formats.datasets.dataset_builder import Attributes, DatasetDraft
from judging.formats.problems import ProblemLog
from judging.formats.records import AttributeRecord, CandidateRecord, DatasetRecord

KEYS = ("source", "system_id", "system_output", "scores")

# USR's six questions about Topical-Chat [Mehri2020]. UniEval renamed two of them, and comparative assessment
# [Liusie2024] uses "coherence" for another than UniEval does; the definitions give every name.
TOPICAL_CHAT = (
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


def read(files: Sequence[FileRows], log: ProblemLog) -> DatasetRecord:
    """Contexts are numbered from 0; a candidate's identifier is its system's."""
    rows = [row for file in files for row in file.rows]
    usual = TOPICAL_CHAT if rows and _is_topical_chat(rows[0]) else ()
    draft = DatasetDraft(Attributes(usual=usual))
    for row in rows:
        _read_row(row, draft)
    is_dialogue = bool(rows) and "context" in rows[0].values
    return DatasetRecord(
        context_noun="dialogue" if is_dialogue else "passage",
        candidate_noun="response" if is_dialogue else "summary",
        attributes=draft.attributes.records(),
        contexts=draft.contexts(),
    )


def _is_topical_chat(row: Row) -> bool:
    scores = row.values.get("scores")
    names = {attribute.name for attribute in TOPICAL_CHAT}
    return "context" in row.values and isinstance(scores, dict) and set(scores) == names


def _read_row(row: Row, draft: DatasetDraft) -> None:
    source = row.text("source")
    context = draft.about(row, source, text=source, reference=row.extra_text("reference"), reference_key="reference")
    system, scores = row.name("system_id"), row.object("scores")
    candidate = CandidateRecord(
        key=system,
        text=row.text("system_output", may_be_empty=True),
        system=system,
        scores=draft.attributes.scores(scores, scores.values),
    )
    context.add(row, "system_id", candidate)
