"""Verdict patterns: the forms in which a judge writes its verdict in a reply, and the verdicts found by them.

A form is the text that the judge writes, with a slot for the verdict: `[[<verdict>]]`. It is no regular expression, so
that reading takes time in proportion to the reply, whatever a person or a judge writes. See docs/how-to/prompts.md.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

VERDICT, SCORE, SCORE_A, SCORE_B = "<verdict>", "<score>", "<score A>", "<score B>"
SLOTS = (VERDICT, SCORE, SCORE_A, SCORE_B)
EMPHASIS = "*`"
"""Characters that are ignored in replies, because models use them for emphasis."""

_SLOT = re.compile("|".join(map(re.escape, SLOTS)))
_FIELD = re.compile(r'"\s*:\s*')
_NUMBER = r"\d{1,3}(?:\.\d{1,3})?"
_BEFORE_NUMBER = r"(?<![\w.,\-−])"
_AFTER_NUMBER = r"(?!\w|[.,]\d)"


class Place(StrEnum):
    """Rules for the verdict that counts."""

    ANYWHERE = "anywhere"
    """All verdicts of a reply must agree."""
    START = "start"
    """The reply begins with its verdict."""
    END = "end"
    """The last verdict counts; earlier ones belong to the reasoning."""


@dataclass(frozen=True, slots=True)
class VerdictPattern:
    """The forms of a verdict, and its label words.

    forms: texts with `<verdict>`, with `<score>`, or with `<score A>` and `<score B>`. Upper and lower case are equal.
        A space stands for any white space, or none.
    first, second, tie: label words as the judge writes them, without surrounding spaces; tie is empty for none.
        With scores, first and second are the lowest and the highest score.
    further: further label words, each with the choice that it means, such as `A>>B` for the first.
    """

    forms: tuple[str, ...]
    first: str
    second: str
    tie: str = ""
    place: str = Place.ANYWHERE.value
    further: tuple[tuple[str, str], ...] = ()

    @property
    def compares_scores(self) -> bool:
        """True if a verdict is two scores. The higher one wins."""
        return SCORE_A in self.forms[0]

    @property
    def is_score(self) -> bool:
        """True if a verdict is the score of one text."""
        return SCORE in self.forms[0]

    @property
    def has_scores(self) -> bool:
        return self.is_score or self.compares_scores

    @property
    def offers_tie(self) -> bool:
        return bool(self.tie) or self.compares_scores

    @property
    def labels(self) -> tuple[str, ...]:
        """The label words; for scores, the ends of the scale."""
        main = (self.first, self.second, self.tie) if self.tie else (self.first, self.second)
        return (*main, *(label for label, _ in self.further))

    def choice(self, label: str) -> str:
        """Return the choice that a label word means: first, second or tie."""
        return {**dict(self.further), self.first: "first", self.second: "second", self.tie: "tie"}[label]

    def example(self, choice: str) -> str:
        """Return the first form as the judge writes it for a choice; for one score, with the highest."""
        if self.compares_scores:
            low, high = self.first, self.second
            score_a, score_b = {"first": (high, low), "second": (low, high), "tie": (high, high)}[choice]
            return self.forms[0].replace(SCORE_A, score_a).replace(SCORE_B, score_b)
        label = {"first": self.first, "second": self.second, "tie": self.tie}[choice]
        return self.forms[0].replace(VERDICT, label).replace(SCORE, self.second)


@dataclass(frozen=True, slots=True)
class WrittenVerdict:
    """A verdict in a text.

    reading: "first", "second", "tie" or a score. label: as written; for two scores, the first of them.
    start, end: position of the whole form in the text. label_start: position of the label.
    """

    reading: str | float
    label: str
    start: int
    end: int
    label_start: int


def find_verdicts(pattern: VerdictPattern, text: str) -> list[WrittenVerdict]:
    """Return the verdicts in a text, in order. Scores outside the scale are none."""
    positions = [position for position, character in enumerate(text) if character not in EMPHASIS]
    plain = "".join(text[position] for position in positions)
    positions.append(len(text))
    matches = sorted(
        (match for expression in _expressions(pattern) for match in expression.finditer(plain)),
        key=lambda match: (match.start(), match.end()),
    )
    return [verdict for match in matches if (verdict := _verdict(pattern, match, positions)) is not None]


def _verdict(pattern: VerdictPattern, match: re.Match[str], positions: list[int]) -> WrittenVerdict | None:
    reading = _reading(pattern, match)
    if reading is None:
        return None
    start, end, label_start = (positions[place] for place in (match.start(), match.end() - 1, match.start("label")))
    return WrittenVerdict(reading, match["label"], start, end + 1, label_start)


def _reading(pattern: VerdictPattern, match: re.Match[str]) -> str | float | None:
    """Return the choice or the score of a match; None for a score outside the scale."""
    if not pattern.has_scores:
        return pattern.choice(match["label"])
    lowest, highest = float(pattern.first), float(pattern.second)
    scores = [float(match[name]) for name in ("label", "other") if name in match.re.groupindex]
    if not all(lowest <= score <= highest for score in scores):
        return None
    if pattern.is_score:
        return scores[0]
    score_a, score_b = scores
    return "tie" if score_a == score_b else "first" if score_a > score_b else "second"


@lru_cache(maxsize=256)
def _expressions(pattern: VerdictPattern) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(_expression(pattern, form)) for form in map(plain_form, pattern.forms))


def plain_form(form: str) -> str:
    """Return a form without emphasis and surrounding spaces; for a JSON object, its field."""
    plain = form.translate(dict.fromkeys(map(ord, EMPHASIS))).strip()
    if plain.startswith("{") and plain.endswith("}"):
        plain = plain[1:-1].strip()
    return _FIELD.sub('" : ', plain) if plain.startswith('"') else plain


def _expression(pattern: VerdictPattern, form: str) -> str:
    """Return the regular expression of a form. Its quantifiers are possessive: they never try a text twice."""
    return "".join(_expression_parts(pattern, form))


def _expression_parts(pattern: VerdictPattern, form: str) -> Iterator[str]:
    end = 0
    for match in _SLOT.finditer(form):
        yield _literal(form[end : match.start()])
        yield _slot(pattern, match.group())
        end = match.end()
    yield _literal(form[end:])


def _literal(text: str) -> str:
    """Match a piece of a form in upper or lower case. Between two slots, a space stands for at least one space."""
    if text.isspace():
        return r"[ \t]++"
    if not text:
        return ""
    pieces = r"\s*+".join(re.escape(piece) for piece in re.split(r"\s+", text))
    return f"(?i:{pieces})"


def _slot(pattern: VerdictPattern, slot: str) -> str:
    if slot == VERDICT:
        words = "|".join(re.escape(word) for word in sorted(pattern.labels, key=len, reverse=True))
        return rf"(?<!\w)(?P<label>{words})(?!\w)"
    name = "other" if slot == SCORE_B else "label"
    return f"{_BEFORE_NUMBER}(?P<{name}>{_NUMBER}){_AFTER_NUMBER}"
