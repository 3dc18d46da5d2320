"""Replies that repeat their prompt: a label that was only copied from it is no verdict. No torch."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_WORD = re.compile(r"[^\W_]+")
_END_OF_HEADING = r"[^\w\n]*[:?\uff1a\uff1f]"
_HEADING = re.compile(_END_OF_HEADING)
_REACH = 200  # characters after a label, and at the beginning of a candidate, that are compared
_MOST_WORDS = 6
_WORDS_BEFORE = 2


@dataclass(frozen=True, slots=True)
class Shown:
    """The text of a prompt and the candidates in it. White space, case and punctuation do not matter."""

    text: str = ""
    candidates: tuple[str, ...] = ()

    def is_repeated(self, reply: str, start: int, end: int) -> bool:
        """Return True if a candidate follows a label, or begins with it, or if the label is a heading of the prompt.

        start, end: of the label in the reply.
        """
        after, label = _words_after(reply, end), _words(reply[start:end])
        is_heading = _HEADING.match(reply, end) is not None
        if not after:
            return is_heading and self._has_heading(label)
        fewest = 1 if is_heading else 2
        return any(
            _begins(candidate, after, fewest) or _begins(candidate, [*label, *after], len(label) + fewest)
            for candidate in self.candidates
        )

    def is_instruction(self, reply: str, start: int, end: int, *, complete: bool) -> bool:
        """Return True if the words around a verdict are the prompt's, so that the reply quotes its instructions.

        Where no word precedes the verdict, this holds only for a reply that was cut: a whole reply may be one of the
        answers that the prompt offers. Where none follows, several must precede it.
        """
        after = _words_after(reply, end)
        before = _words(reply[:start])[-_WORDS_BEFORE if after else -2 * _WORDS_BEFORE :]
        if len(before) < 2 * _WORDS_BEFORE and not (after and before) and (complete or len(after) < 2):
            return False
        return self._contains([*before, *_words(reply[start:end]), *after])

    def is_list(self, reply: str, start: int, end: int, labels: Sequence[str]) -> bool:
        """Return True if another label follows one as in the prompt: "A or Summary B", "1 and 10"."""
        near = _words_after(reply, end)[: _WORDS_BEFORE + 1]
        others = {label.casefold() for label in labels} - {reply[start:end].casefold()}
        place = next((place for place, word in enumerate(near) if word in others), None)
        return place is not None and self._contains([*_words(reply[start:end]), *near[: place + 1]])

    def _has_heading(self, label: Sequence[str]) -> bool:
        heading = r"\W*".join(map(re.escape, label))
        return re.search(rf"(?<!\w){heading}{_END_OF_HEADING}", self.text, re.IGNORECASE) is not None

    def _contains(self, words: Sequence[str]) -> bool:
        return f" {' '.join(words)}" in f" {' '.join(_words(self.text))}"


NOTHING_SHOWN = Shown()


def _begins(candidate: str, words: Sequence[str], fewest: int) -> bool:
    """Return True if a candidate begins with these words, or is all of them. The last word may have been cut."""
    beginning = _words(candidate[:_REACH])[: len(words)]
    return len(beginning) >= fewest and " ".join(beginning).startswith(" ".join(words[: len(beginning)]))


def _words_after(reply: str, end: int) -> list[str]:
    return _words(reply[end : end + _REACH])[:_MOST_WORDS]


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
