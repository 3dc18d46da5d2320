"""Bytes -> records, or every problem of the files in one exception. Pure: no Django, no other package of ours."""

from judging.formats.comparisons import read_comparisons
from judging.formats.datasets import FORMATS, Format, read_dataset
from judging.formats.problems import InvalidFile, Problem, shown
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
from judging.formats.scores import read_scores
from judging.formats.sources import MAX_BYTES, SourceFile
from judging.formats.writing import write_dataset
