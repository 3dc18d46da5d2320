"""Placeholders of templates, and their replacement by texts and words.

A template is split once and filled in one step, so that a placeholder inside a text is never replaced.
The templates are in evenhand/prompting/prompts/. `<name>` stands for a text, `{name}` for a word of the dataset.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from evenhand.prompting.wording import Wording

PLACEHOLDER = re.compile(r"<[A-Za-z][A-Za-z0-9 _]*>|\{[A-Za-z0-9_ ]*\}")
CRITERIA_PLACEHOLDER = "<metrics>"


@dataclass(frozen=True, slots=True)
class TemplatePart:
    """A piece of a template: literal text, or a placeholder such as "<A>"."""

    text: str
    is_placeholder: bool


def split_template(template: str, words: Mapping[str, str]) -> tuple[TemplatePart, ...]:
    """Split a template at its placeholders for texts, and replace those for words."""
    parts: list[TemplatePart] = []
    end = 0
    for match in PLACEHOLDER.finditer(template):
        literal, name = template[end : match.start()], match.group()
        end = match.end()
        if name == "{adjective}":
            literal, word = _inflected(literal, words[name])
            parts += [TemplatePart(literal, False), TemplatePart(word, False)]
        elif name in words:
            parts += [TemplatePart(literal, False), TemplatePart(words[name], False)]
        else:
            parts += [TemplatePart(literal, False), TemplatePart(name, name.startswith("<"))]
    parts.append(TemplatePart(template[end:], False))
    return tuple(parts)


def _inflected(literal: str, adjective: str) -> tuple[str, str]:
    """Return the text before an adjective, and the adjective, in the right form.

    "is more" + "good…" becomes "is" + "better…", as in the code of [Liusie2024].
    "good a continuation" fits after "more", "how" and "as", and becomes "a good continuation" elsewhere.
    """
    is_good = adjective == "good" or adjective.startswith("good ")
    if is_good and literal.endswith("is more "):
        return literal.removesuffix("more "), f"better{adjective.removeprefix('good')}"
    if adjective.startswith("good a ") and not literal.endswith(("more ", "how ", "as ")):
        return literal, f"a good {adjective.removeprefix('good a ')}"
    return literal, adjective


def fill_template(template: str, wording: Wording, texts: Mapping[str, str]) -> str:
    """Return a template with its words and texts filled in. texts: placeholder -> text."""
    return join_parts(split_template(template, wording.values()), texts)


def insert_criteria(parts: tuple[TemplatePart, ...], criteria: str) -> tuple[TemplatePart, ...]:
    """Replace the placeholder for criteria in a split template."""
    return tuple(
        TemplatePart(criteria, False) if part == TemplatePart(CRITERIA_PLACEHOLDER, True) else part for part in parts
    )


def join_parts(parts: tuple[TemplatePart, ...], texts: Mapping[str, str]) -> str:
    """Join a split template into one text. texts: placeholder -> text."""
    return "".join(texts.get(part.text, part.text) if part.is_placeholder else part.text for part in parts)
