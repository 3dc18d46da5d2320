"""Bytes -> records, or every problem of the files in one exception. Pure: no Django, no other package of ours."""

from judging.formats.datasets.evenhand_writer import write_dataset
from judging.formats.datasets.registry import FORMATS, Format, read_dataset
from judging.formats.problems import InvalidFile, Problem, shown
from judging.formats.recorded.comparisons import read_comparisons
from judging.formats.recorded.scores import read_scores
from judging.formats.records import (
    AttributeRecord,
    CandidateRecord,
    Choice,
    ComparisonRecord,
    ContextRecord,
    DatasetRecord,
    RecordedChoice,
    ScoreRecord,
    VoteRecord,
)
from judging.formats.source_files import MAX_BYTES, SourceFile
