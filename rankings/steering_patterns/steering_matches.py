"""Finds the matches of the patterns in one text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rankings.steering_patterns.pattern_list import STEERING_PATTERNS, SteeringPattern

OWN_LABEL = "own-label"
LABELS_CACHED = 64


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
    lowered = text.lower()
    patterns = [one for one in STEERING_PATTERNS.values() if _may_match(one, lowered)]
    matches = [_match(pattern.name, one) for pattern in patterns for one in pattern.compiled.finditer(text)]
    return matches + _own_labels(text, tuple(labels))


def _may_match(pattern: SteeringPattern, lowered: str) -> bool:
    return not pattern.words or any(word in lowered for word in pattern.words)


def _match(name: str, match: re.Match[str]) -> SteeringMatch:
    start = match.start() + len(match[0]) - len(match[0].lstrip())
    return SteeringMatch(name, start, match.end(), match[0].strip())


def _own_labels(text: str, labels: Sequence[str]) -> list[SteeringMatch]:
    expression = _expression_of_labels(tuple(labels))
    return [] if expression is None else [_match(OWN_LABEL, one) for one in expression.finditer(text)]


@lru_cache(LABELS_CACHED)
def _expression_of_labels(labels: Sequence[str]) -> re.Pattern[str] | None:
    words = [re.escape(label.strip()) for label in labels if label.strip()]
    if not words:
        return None
    label = rf"\W*(?:{'|'.join(words)})\W*"
    return re.compile(rf"\A{label}(?:\n|\Z)|\n{label}\Z")
