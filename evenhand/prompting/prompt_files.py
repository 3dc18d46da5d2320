"""Prompts as JSON files: those in evenhand/prompting/prompts/, and those that people add."""

import json
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from evenhand.file_problems import InvalidFile, Problem, describe_value
from evenhand.prompting.templates import PromptError, PromptText, require_valid

PROMPTS_FOLDER = Path(__file__).resolve().parent / "prompts"

REQUIRED = ("name", "method", "template")
NUMBER_FIELDS = ("version", "reply_tokens")
PROMPT_FIELDS = tuple(field.name for field in fields(PromptText))


def load_shipped_prompts() -> tuple[PromptText, ...]:
    """Return the prompts that come with Evenhand, by name. Raises InvalidFile or PromptError for an invalid file."""
    return tuple(_load_shipped(path) for path in sorted(PROMPTS_FOLDER.glob("*.json")))


def _load_shipped(path: Path) -> PromptText:
    prompt = read_prompt(path.read_bytes(), file=path.name)
    if prompt.name != path.stem:
        raise PromptError(f'{path.name}: the name in it is "{prompt.name}"; both must be the same')
    require_valid(prompt)
    return prompt


def read_prompt(content: bytes, *, file: str) -> PromptText:
    """Read a prompt from a JSON object with the fields of PromptText. The default `version` is 1.

    This checks fields and types; `prompt_problems` checks the prompt itself.
    Raises InvalidFile with every problem, and with the prompt as far as it is readable.
    """
    values = _object_in(content, file)
    problems = list(_problems(values, file))
    good: dict[str, Any] = {name: value for name, value in values.items() if _has_right_type(name, value)}
    defaults: dict[str, Any] = {"name": "", "method": "", "template": ""}
    prompt = PromptText(**defaults | good)
    if problems:
        raise InvalidFile(problems, records=[prompt])
    return prompt


def _object_in(content: bytes, file: str) -> dict[str, object]:
    try:
        values = json.loads(content.decode("utf-8-sig"), object_pairs_hook=_unique_fields)
    except UnicodeDecodeError as error:
        raise InvalidFile(
            [Problem(file, None, "", f"byte {error.start} is not UTF-8", "a JSON object in UTF-8")]
        ) from None
    except json.JSONDecodeError as error:
        raise InvalidFile(
            [Problem(file, error.lineno, f"column {error.colno}", error.msg, "one JSON object")]
        ) from None
    except (ValueError, RecursionError) as error:
        raise InvalidFile([Problem(file, None, "", str(error), "one JSON object")]) from None
    if not isinstance(values, dict):
        raise InvalidFile([Problem(file, 1, "", describe_value(values), "one JSON object")])
    return values


def _unique_fields(pairs: list[tuple[str, object]]) -> dict[str, object]:
    values = dict(pairs)
    if len(values) < len(pairs):
        raise ValueError("a field is given twice in one object")
    return values


def _problems(values: dict[str, object], file: str) -> Iterator[Problem]:
    for name, value in values.items():
        if name not in PROMPT_FIELDS:
            yield Problem(file, None, name, "unknown", f"one of: {', '.join(PROMPT_FIELDS)}")
        elif not _has_right_type(name, value):
            expected = "a whole number above 0" if name in NUMBER_FIELDS else "a text"
            yield Problem(file, None, name, describe_value(value), expected)
    for name in REQUIRED:
        if name not in values:
            yield Problem(file, None, name, "missing", "a text")


def _has_right_type(name: str, value: object) -> bool:
    if name not in PROMPT_FIELDS:
        return False
    if name in NUMBER_FIELDS:
        return isinstance(value, int) and not isinstance(value, bool) and value > 0
    return isinstance(value, str)
