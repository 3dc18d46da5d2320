"""Finds the matches of the patterns in one text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rankings.steering_patterns.pattern_list import STEERING_PATTERNS
from rankings.steering_patterns.word_search import WordSearch

OWN_LABEL = "own-label"
LABELS_CACHED = 64
PREFILTER_WORDS = frozenset(word for pattern in STEERING_PATTERNS.values() for word in pattern.words)


@dataclass(frozen=True)
class SteeringMatch:
    """One match. pattern: its name, or `own-label`. start, end: in characters from 0, end excluded."""

    pattern: str
    start: int
    end: int
    matched: str


def steering_matches(text: str, labels: Iterable[str] = ()) -> list[SteeringMatch]:
    """Return the matches in the order of the patterns, then of their positions.

    labels: the label words of a run. A line that is one of them, first or last in the text, is a match too.
    """
    return steering_matches_of([text], labels)[0]


def steering_matches_of(texts: Sequence[str], labels: Iterable[str] = ()) -> list[list[SteeringMatch]]:
    """Return the matches of each text, as steering_matches does."""
    words = WordSearch(texts, PREFILTER_WORDS)
    matches: list[list[SteeringMatch]] = [[] for _ in texts]
    for pattern in STEERING_PATTERNS.values():
        likely = words.numbers_with(pattern.words) if pattern.words else words.numbers_of_short(pattern.letters)
        for number in likely:
            matches[number] += [_match(pattern.name, one) for one in pattern.compiled.finditer(texts[number])]
    if (expression := _expression_of_labels(tuple(labels))) is not None:
        for text, of_text in zip(texts, matches, strict=True):
            of_text += [_match(OWN_LABEL, one) for one in expression.finditer(text)]
    return matches


def _match(name: str, match: re.Match[str]) -> SteeringMatch:
    start = match.start() + len(match[0]) - len(match[0].lstrip())
    return SteeringMatch(name, start, match.end(), match[0].strip())


@lru_cache(LABELS_CACHED)
def _expression_of_labels(labels: Sequence[str]) -> re.Pattern[str] | None:
    words = [re.escape(label.strip()) for label in labels if label.strip()]
    if not words:
        return None
    label = rf"\W*(?:{'|'.join(words)})\W*"
    return re.compile(rf"\A{label}(?:\n|\Z)|\n{label}\Z")
