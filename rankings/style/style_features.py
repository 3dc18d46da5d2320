"""Features of a text's style: its length and its Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from evenhand.numerics.arrays import FloatArray
from judging.models import Candidate, Dataset
from rankings.loading import CandidateTable

_HEADING = re.compile(r"^#{1,6}\s+\S", re.MULTILINE)
_BOLD = re.compile(r"\*\*[^*\n]+\*\*|__[^_\n]+__")
_LIST_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+\S", re.MULTILINE)

STYLE_FEATURES: Mapping[str, Callable[[str], int]] = {
    "words": lambda text: len(text.split()),
    "headings": lambda text: len(_HEADING.findall(text)),
    "bold": lambda text: len(_BOLD.findall(text)),
    "list items": lambda text: len(_LIST_ITEM.findall(text)),
}
"""Name of a feature → count in a text."""


def count_features(text: str) -> list[int]:
    """Return the count of each feature of STYLE_FEATURES in a text."""
    return [count(text) for count in STYLE_FEATURES.values()]


def features_of(table: CandidateTable, dataset: Dataset) -> FloatArray:
    """Return the counts of each candidate of the table, (n_candidates, n_features), in one query."""
    texts = Candidate.objects.filter(context__dataset=dataset).values_list("pk", "text")
    counts = {pk: count_features(text) for pk, text in texts.iterator(chunk_size=2_000)}
    ids: Sequence[int] = table.ids.tolist()
    return np.array([counts[pk] for pk in ids], dtype=np.float64).reshape(len(ids), len(STYLE_FEATURES))
