"""The words in which two texts differ."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

MOST_WORDS = 3_000
"""Longer texts are not compared: it could take seconds."""
_WORD = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class TextPart:
    """A part of a text. is_different: the other text lacks it at this place."""

    text: str
    is_different: bool


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text in parts, which together are the text. different, words: numbers of words, punctuation marks included."""

    parts: Sequence[TextPart]
    different: int
    words: int


def word_differences(first: str, second: str) -> tuple[MarkedText, MarkedText] | None:
    """Mark the words of each text that the other one lacks; None if a text has more than 3,000 words.

    Words are compared as written, by difflib. White space is not compared.
    """
    words = [list(_WORD.finditer(text)) for text in (first, second)]
    if max(map(len, words)) > MOST_WORDS:
        return None
    ones, others = ([match.group() for match in matches] for matches in words)
    same = SequenceMatcher(None, ones, others, autojunk=False).get_matching_blocks()
    return (
        _marked(first, words[0], [(block.a, block.a + block.size) for block in same]),
        _marked(second, words[1], [(block.b, block.b + block.size) for block in same]),
    )


def _marked(text: str, words: Sequence[re.Match[str]], same: Sequence[tuple[int, int]]) -> MarkedText:
    """Return a text in parts. same: ranges of words that the other text has too, in order; the last one is empty."""
    parts = tuple(part for part in _parts(text, words, same) if part.text)
    return MarkedText(parts, len(words) - sum(end - start for start, end in same), len(words))


def _parts(text: str, words: Sequence[re.Match[str]], same: Sequence[tuple[int, int]]) -> Iterator[TextPart]:
    read, done = 0, 0  # words that are in parts; characters that are in parts
    for start, end in same:
        if start > read:
            first, last = words[read].start(), words[start - 1].end()
            yield TextPart(text[done:first], is_different=False)
            yield TextPart(text[first:last], is_different=True)
            done = last
        read = end
    yield TextPart(text[done:], is_different=False)
