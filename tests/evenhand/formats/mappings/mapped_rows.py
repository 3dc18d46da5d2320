"""Rows of small tables, read by a mapping of each layout."""

from evenhand.formats import TableMapping, read_dataset
from tests.evenhand.formats.people_tables import json_lines_bytes
from tests.evenhand.formats.small_files import SourceFile, problems


def read(mapping, *rows):
    return read_dataset([SourceFile("d.jsonl", json_lines_bytes(rows))], mapping=mapping)


def read_problems(mapping, *rows):
    return problems(lambda: read(mapping, *rows))


CANDIDATES = TableMapping("candidates", {"context_text": "q", "text": "a", "system": "m", "score:clarity": "s"})
RATINGS = TableMapping("candidates", {**CANDIDATES.columns, "rater": "r"})
TIDY = TableMapping(
    "candidates", {"context_text": "q", "text": "a", "system": "m", "attribute": "d", "score": "s", "rater": "r"}
)
WIDE = TableMapping(
    "wide", {"context": "id", "context_text": "q", "text:M1": "one", "text:M2": "two", "score:M1:fun": "f"}
)
PAIRS = TableMapping(
    "pairs",
    {"context_text": "q", "text_first": "a", "text_second": "b", "choice": "w", "rater": "r"},
    {"first": ("A",), "second": ("B",), "tie": ("=",), "none": ("skip",)},
)
SYSTEMS = TableMapping("pairs", {**PAIRS.columns, "system_first": "ma", "system_second": "mb"}, PAIRS.choices)
CHOSEN = TableMapping("pairs", {"context_text": "q", "chosen": "good", "rejected": "bad"})
VOTES = TableMapping(
    "votes",
    {
        **{"context": "id", "context_text": "q", "first": "f", "second": "s", "text_first": "a", "text_second": "b"},
        **{"choice": "w", "rater": "r", "attribute": "d"},
    },
    PAIRS.choices,
)
