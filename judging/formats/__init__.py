"""Bytes -> records, or every problem of the files in one exception. Pure: no Django, no other package of ours."""

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
from judging.formats.sources import SourceFile
