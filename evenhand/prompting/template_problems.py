"""Problems of templates: unknown and missing placeholders."""

import re
from dataclasses import dataclass

from evenhand.prompting.methods import PROMPTED, Method
from evenhand.prompting.placeholders import PLACEHOLDER

_NOUNS = frozenset({"{candidate_noun}", "{Candidate_noun}", "{context_noun}", "{Context_noun}"})
WORDS = frozenset({"{adjective}", "{attribute}", "{definition}"}) | _NOUNS


class PromptError(ValueError):
    """A prompt is invalid; the message names the field and the reason."""


@dataclass(frozen=True, slots=True)
class TemplateProblem:
    """One problem of a template. line, column: from 1; both 0 for a missing placeholder."""

    placeholder: str
    line: int
    column: int
    reason: str

    def __str__(self) -> str:
        where = f"line {self.line}, column {self.column}: " if self.line else ""
        return f"{where}{self.placeholder} {self.reason}"


def check_template(
    template: str, *, method: str, reasoning: bool = False, one_reply: bool = False
) -> list[TemplateProblem]:
    """Return every problem of a template, or of a reasoning template, for a method.

    one_reply: the judge writes its reasoning and its verdict in one reply.
    A tag with a closing tag (`<article>…</article>`) is not a placeholder. Raises PromptError for an unknown method.
    """
    rules = method_named(method).in_one_reply() if one_reply else method_named(method)
    required = (rules.reasoning or frozenset()) if reasoning else rules.template
    known = rules.known(reasoning=reasoning) | WORDS
    problems = [
        unknown_placeholder(template, match, known)
        for match in PLACEHOLDER.finditer(template)
        if match.group() not in known and f"</{match.group()[1:]}" not in template
    ]
    missing = sorted(required - set(PLACEHOLDER.findall(template)))
    return problems + [TemplateProblem(name, 0, 0, "is missing; the judge would not see it") for name in missing]


def method_named(method: str) -> Method:
    """Return a method by name. Raises PromptError."""
    if method not in PROMPTED:
        raise PromptError(f'method "{method}" is unknown; choose one of: {", ".join(PROMPTED)}')
    return PROMPTED[method]


def unknown_placeholder(template: str, match: re.Match[str], known: frozenset[str]) -> TemplateProblem:
    """Return the problem of a placeholder that is unknown at its position."""
    before = template[: match.start()]
    line, column = before.count("\n") + 1, match.start() - (before.rfind("\n") + 1) + 1
    return TemplateProblem(match.group(), line, column, f"is unknown here; known are {', '.join(sorted(known))}")
