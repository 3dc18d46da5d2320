"""Finds the matches of the patterns in one text, and the texts of a dataset that match, cached or searched."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import islice

import numpy as np

from evenhand.numerics.arrays import BoolArray, IntArray
from judging.models import Candidate, Dataset, Run
from rankings.report_cache import cached
from rankings.steering_patterns.pattern_list import STEERING_PATTERNS

_SEPARATOR = "\x1e"  # ASCII's separator of records
_IS_OF_WORD = np.array([chr(letter).isalnum() or chr(letter) == "_" for letter in range(128)] + [False] * 128)


class WordSearch:
    """Texts in small letters, as one row of bytes.

    A word is looked for only where one of the words begins with the same two bytes.
    """

    def __init__(self, texts: Sequence[str], words: frozenset[str]) -> None:
        """words: those that can be looked for, in small letters, without the separator of texts."""
        longest = max((len(word.encode()) for word in words), default=0)
        self._letters = np.frombuffer(_joined(texts).lower().encode() + bytes(longest + 1), np.uint8)
        self._ends = np.flatnonzero(self._letters == ord(_SEPARATOR))
        self._twos = self._letters[:-1].astype(np.uint16) << 8 | self._letters[1:]
        self._beginnings = np.flatnonzero(_is_beginning(words)[self._twos])
        self._twos_at_beginnings = self._twos[self._beginnings]
        self._found = cache(self._find)

    def numbers_of_short(self, most: int) -> list[int]:
        """Return the numbers of the texts with at most so many ASCII letters, digits and underscores, ascending."""
        starts = np.concatenate([[0], self._ends + 1])[:-1]
        return np.flatnonzero(np.add.reduceat(_IS_OF_WORD[self._letters], starts, dtype=np.intp) <= most).tolist()

    def numbers_with(self, words: Iterable[str]) -> list[int]:
        """Return the numbers of the texts with one of the words, ascending."""
        return sorted(set().union(*map(self._found, words)))

    def _find(self, word: str) -> set[int]:
        return set(np.searchsorted(self._ends, self._places(word.encode()), side="right").tolist())

    def _places(self, word: bytes) -> IntArray:
        if len(word) == 1:
            return np.flatnonzero(self._letters == word[0])
        at: IntArray = self._beginnings[self._twos_at_beginnings == _two(word, 0)]
        for place in (*range(2, len(word) - 2, 2), len(word) - 2):
            at = at[self._twos[at + place] == _two(word, place)]
        return at


def _joined(texts: Sequence[str]) -> str:
    """Return the texts with a separator after each, which stands nowhere else."""
    joined = "".join([part for text in texts for part in (text, _SEPARATOR)])
    if joined.count(_SEPARATOR) == len(texts):
        return joined
    return _joined([text.replace(_SEPARATOR, " ") for text in texts])


def _two(word: bytes, place: int) -> int:
    return word[place] << 8 | word[place + 1]


@lru_cache(maxsize=8)
def _is_beginning(words: frozenset[str]) -> BoolArray:
    """Return True for each two bytes with which one of the words of two or more bytes begins, (2**16,)."""
    beginnings = np.zeros(1 << 16, dtype=bool)
    beginnings[[_two(word, 0) for word in map(str.encode, words) if len(word) > 1]] = True
    return beginnings


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


TEXTS_PER_FETCH = 2_000


def own_labels(run: Run) -> tuple[str, ...]:
    """Return the label words of a run's prompt; none for a recorded run or one that reads no labels."""
    prompt = run.spec.get("prompt", {})
    labels = (str(prompt.get(name) or "").strip() for name in ("label_first", "label_second", "label_tie"))
    return tuple(sorted(filter(None, labels)))


def steering_texts(dataset: Dataset, labels: Iterable[str] = ()) -> Mapping[int, list[SteeringMatch]]:
    """Return candidate id -> its matches, in the dataset's order; only candidates with a match.

    labels: the label words of a run, which are searched too. Texts never change, so the result stays in the cache.
    """
    words = tuple(labels)
    state = ("steering texts", dataset.pk, dataset.created_at, words)
    texts: Mapping[int, list[SteeringMatch]] = cached(state, partial(_search, dataset, words))
    return texts


def _search(dataset: Dataset, labels: tuple[str, ...]) -> dict[int, list[SteeringMatch]]:
    candidates = Candidate.objects.filter(context__dataset=dataset).order_by("context__position", "position")
    rows = candidates.values_list("pk", "text").iterator(TEXTS_PER_FETCH)
    found: dict[int, list[SteeringMatch]] = {}
    while some := list(islice(rows, TEXTS_PER_FETCH)):
        keys, texts = zip(*some, strict=True)
        found |= {pk: matches for pk, matches in zip(keys, steering_matches_of(texts, labels), strict=True) if matches}
    return found
