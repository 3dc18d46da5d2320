"""Finds which of many texts hold some of many words, a few times faster than looking for each word in each text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache

import numpy as np

from rankings.numerics.arrays import BoolArray, IntArray


class WordSearch:
    """Texts as one row of bytes. A word is looked for only where one of the words begins with the same two bytes."""

    def __init__(self, texts: Sequence[str], words: frozenset[str]) -> None:
        """words: those that can be looked for, without line ends."""
        encoded = [text.encode() for text in texts]
        longest = max((len(word.encode()) for word in words), default=0)
        self._letters = np.frombuffer(b"\n".join(encoded) + bytes(longest + 1), np.uint8)
        self._ends = np.cumsum([len(text) + 1 for text in encoded])
        self._twos = self._letters[:-1].astype(np.uint16) << 8 | self._letters[1:]
        self._beginnings = np.flatnonzero(_is_beginning(words)[self._twos])
        self._twos_at_beginnings = self._twos[self._beginnings]
        self._found = cache(self._find)

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


def _two(word: bytes, place: int) -> int:
    return word[place] << 8 | word[place + 1]


@lru_cache(maxsize=8)
def _is_beginning(words: frozenset[str]) -> BoolArray:
    """Return True for each two bytes with which one of the words of two or more bytes begins, (2**16,)."""
    beginnings = np.zeros(1 << 16, dtype=bool)
    beginnings[[_two(word, 0) for word in map(str.encode, words) if len(word) > 1]] = True
    return beginnings
