"""Templates cut at their placeholders, so that everything is put in at once: nothing in a text is taken for one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from judging.prompting.wording import Wording

PLACEHOLDER = re.compile(r"<[A-Za-z][A-Za-z0-9 _]*>|\{[A-Za-z0-9_ ]*\}")
METRICS = "<metrics>"


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a template. text: of a placeholder, the placeholder itself."""

    text: str
    is_placeholder: bool


def parts_of(template: str, words: Mapping[str, str]) -> tuple[Part, ...]:
    """The template cut at its placeholders for texts, with the words put in."""
    parts: list[Part] = []
    end = 0
    for match in PLACEHOLDER.finditer(template):
        literal, name = template[end : match.start()], match.group()
        end = match.end()
        if name == "{adjective}":
            literal, word = _inflected(literal, words[name])
            parts += [Part(literal, False), Part(word, False)]
        elif name in words:
            parts += [Part(literal, False), Part(words[name], False)]
        else:
            parts += [Part(literal, False), Part(name, name.startswith("<"))]
    parts.append(Part(template[end:], False))
    return tuple(parts)


def _inflected(literal: str, adjective: str) -> tuple[str, str]:
    """ "is more" + "good…" becomes "is" + "better…", as in the code of [Liusie2024].

    "good a continuation", which is made to follow "more", "how" or "as", becomes "a good continuation" elsewhere.
    """
    is_good = adjective == "good" or adjective.startswith("good ")
    if is_good and literal.endswith("is more "):
        return literal.removesuffix("more "), f"better{adjective.removeprefix('good')}"
    if adjective.startswith("good a ") and not literal.endswith(("more ", "how ", "as ")):
        return literal, f"a good {adjective.removeprefix('good a ')}"
    return literal, adjective


def fill(template: str, wording: Wording, texts: Mapping[str, str]) -> str:
    """A template with its words and texts put in, all at once."""
    return filled(parts_of(template, wording.values()), texts)


def given(parts: tuple[Part, ...], metrics: str) -> tuple[Part, ...]:
    """The same with metrics in their place."""
    return tuple(Part(metrics, False) if part == Part(METRICS, True) else part for part in parts)


def filled(parts: tuple[Part, ...], texts: Mapping[str, str]) -> str:
    """The whole, with texts (placeholder -> text) in their places."""
    return "".join(texts.get(part.text, part.text) if part.is_placeholder else part.text for part in parts)
