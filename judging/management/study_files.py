"""Files that describe a study in TOML, for the command `plan_study`."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evenhand.refusals import Refused, did_you_mean
from judging.services.studies.study_plan import PLAN_FIELDS

TEXT_FIELDS = ("name", "description", "thinking", "reasoning_effort", "cut_thinking", "metrics")
WHOLE_NUMBER_FIELDS = ("contexts", "samples", "thinking_tokens")
FILE_FIELDS = ("name", "description", *PLAN_FIELDS, "groups")


@dataclass(frozen=True, slots=True)
class StudyFile:
    """A study as its file describes it. plan: by names, as `StudyPlan.by_names` reads them."""

    name: str
    plan: Mapping[str, Any]
    description: str = ""
    groups: Sequence[str] = field(default_factory=tuple)


def read_study_file(path: Path) -> StudyFile:
    """Read a study from a TOML file. Raises Refused with every problem."""
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise Refused(f"{path}: {error.strerror or error} — expected a TOML file that can be read") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise Refused(f"{path}: {error} — expected TOML") from error
    if problems := [f"{path}: {problem}" for problem in _problems(values)]:
        raise Refused(*problems)
    return StudyFile(
        name=values["name"],
        plan={name: values[name] for name in PLAN_FIELDS if name in values},
        description=values.get("description", ""),
        groups=values.get("groups", ()),
    )


def _problems(values: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with the types and names of the values."""
    if "name" not in values:
        yield 'name: missing — give the study a name, for example name = "Table 1"'
    for name, value in values.items():
        if name not in FILE_FIELDS:
            yield f'"{name}" is unknown{did_you_mean(name, FILE_FIELDS)}; there are: {", ".join(FILE_FIELDS)}'
        elif expected := _expected_type(name, value):
            yield f"{name}: {value!r} — expected {expected}"


def _expected_type(name: str, value: object) -> str:
    """Return the type that a value should have, in words; empty if it has it."""
    if name in TEXT_FIELDS:
        return "" if isinstance(value, str) else "a text"
    if name in WHOLE_NUMBER_FIELDS:
        return "" if _is_whole(value) else "a whole number"
    if name == "temperature":
        return "" if _is_whole(value) or isinstance(value, float) else "a number"
    if name == "seeds":
        return "" if isinstance(value, list) and all(map(_is_whole, value)) else "a list of whole numbers"
    return "" if isinstance(value, list) and all(isinstance(one, str) for one in value) else "a list of texts"


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
