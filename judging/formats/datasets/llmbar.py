"""LLMBar: an instruction, two outputs, and which of them is better [Zeng2024]. One file is one subset."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import cast

from judging.formats.checked_rows import LONGEST_NAME, FileRows, Row
from judging.formats.datasets.dataset_builder import ALL, Attributes, ContextDraft, DatasetDraft
from judging.formats.problems import ProblemLog, shown
from judging.formats.records import AttributeRecord, CandidateRecord, Choice, DatasetRecord, VoteRecord

KEYS = ("input", "output_1", "output_2", "label")
LABELS: dict[str | int, str] = {1: "first", 2: "second"}
ATTRIBUTE = "overall"
RATER = "gold"


def read(files: Sequence[FileRows], log: ProblemLog) -> DatasetRecord:
    """One dataset of all files. A context's identifier is the file's stem, a slash and its place in the file from 0."""
    draft = DatasetDraft(Attributes([AttributeRecord(ATTRIBUTE)]))
    for file in files:
        stem = PurePosixPath(file.name.replace("\\", "/")).stem
        Row(file.name, 1, {}, log).checked("", stem, longest=LONGEST_NAME)
        if stem == ALL:
            log.add(file.name, None, "", f"the subset {shown(stem)}", "another name: reports call the whole dataset so")
        for index, row in enumerate(file.rows):
            _read_item(row, stem, index, draft)
    return DatasetRecord(
        context_noun="instruction",
        candidate_noun="output",
        attributes=draft.attributes.records(),
        contexts=draft.contexts(),
    )


def _read_item(row: Row, stem: str, index: int, draft: DatasetDraft) -> None:
    context = ContextDraft(row=row, key=f"{stem}/{index}", text=row.text("input"), subset=stem)
    draft.add(row, "", context)
    context.add(row, "output_1", CandidateRecord("1", row.text("output_1", may_be_empty=True)))
    context.add(row, "output_2", CandidateRecord("2", row.text("output_2", may_be_empty=True)))
    choice = cast(Choice, row.choice("label", LABELS))
    context.votes.append(VoteRecord(ATTRIBUTE, first="1", second="2", choice=choice, rater=RATER))
