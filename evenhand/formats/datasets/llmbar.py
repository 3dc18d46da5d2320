"""Read LLMBar: an instruction, two outputs, and a label for the better one. Each file is one subset [Zeng2024]."""

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import cast

from evenhand.file_problems import ProblemLog, describe_value
from evenhand.formats.checked_rows import MAX_NAME_LENGTH, CheckedRow, FileRows
from evenhand.formats.datasets.dataset_draft import (
    OVERALL_ATTRIBUTE,
    RESERVED_SUBSET,
    RESERVED_SUBSET_ADVICE,
    AttributeCollector,
    DatasetDraft,
)
from evenhand.formats.records import AttributeRecord, CandidateRecord, DatasetRecord, VoteChoice, VoteRecord

LLMBAR_KEYS = ("input", "output_1", "output_2", "label")
_CHOICES: dict[str | int, str] = {1: "first", 2: "second"}  # by label
_RATER = "gold"


def read_llmbar(files: Sequence[FileRows], log: ProblemLog) -> DatasetRecord:
    """Read one dataset from all files. A context's identifier is `STEM/INDEX`: the file's stem, the index from 0."""
    draft = DatasetDraft(AttributeCollector([AttributeRecord(OVERALL_ATTRIBUTE)]))
    for file in files:
        stem = PurePosixPath(file.name.replace("\\", "/")).stem
        CheckedRow(file.name, 1, {}, log).check_text("", stem, max_length=MAX_NAME_LENGTH)
        if stem == RESERVED_SUBSET:
            log.add(file.name, None, "", f"the subset {describe_value(stem)}", RESERVED_SUBSET_ADVICE)
        for index, row in enumerate(file):
            _read_item(row, stem, index, draft)
    return draft.to_record(log, context_noun="instruction", candidate_noun="output")


def _read_item(row: CheckedRow, stem: str, index: int, draft: DatasetDraft) -> None:
    context = draft.add_context(row, "", key=f"{stem}/{index}", text=row.text("input"), subset=stem)
    context.add_candidate(row, "output_1", CandidateRecord("1", row.text("output_1", may_be_empty=True)))
    context.add_candidate(row, "output_2", CandidateRecord("2", row.text("output_2", may_be_empty=True)))
    choice = cast(VoteChoice, row.choice("label", _CHOICES))
    context.add_vote(VoteRecord(OVERALL_ATTRIBUTE, first="1", second="2", choice=choice, rater=_RATER))
