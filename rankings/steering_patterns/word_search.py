"""Finds which of many texts hold some of many words, a few times faster than looking for each word in each text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache

import numpy as np

from evenhand.numerics.arrays import BoolArray, IntArray

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
