"""Reports as JSON, for commands, the HTTP API and files.

Reports are frozen dataclasses. The types of their fields say how they are written: `IntervalFigure`, `IfAny[…]`,
`Flat[…]`, `Written[…]`. The same types describe the fields in the schema of the HTTP API
(judging/web/report_schema.py).
They have no slots, because the cache reads them five times faster that way.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from datetime import date, datetime
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")
Json = Any


@dataclass(frozen=True, slots=True)
class Carries:
    """Mark of a figure: the fields to write after its value. `undefined` follows if there is a reason."""

    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Help:
    """Mark of a field: a sentence about it, for the description of the HTTP API."""

    text: str


@dataclass(frozen=True, slots=True)
class OneOf:
    """Mark of a text: its possible values."""

    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Omitted:
    """Mark of a field that is left out if it is None."""


@dataclass(frozen=True, slots=True)
class _Unwritten:
    """Mark of a field that is not written. Pages need it."""


@dataclass(frozen=True, slots=True)
class _Written:
    """Mark of a property that is written like a field, after the fields."""


@dataclass(frozen=True, slots=True)
class _Inlined:
    """Mark of a field whose entries are written as entries of its owner."""


IfAny = Annotated[T | None, _Omitted()]
Flat = Annotated[T, _Inlined()]
Unwritten = Annotated[T, _Unwritten()]
Written = Annotated[T, _Written()]


@dataclass(frozen=True, slots=True)
class Shape:
    """How a value of some type is written.

    kind: the type without marks and without None. parts: the shapes of the entries of a list or mapping.
    """

    kind: Any
    carries: tuple[str, ...] | None = None
    parts: "tuple[Shape, ...]" = ()
    is_nullable: bool = False
    is_omitted: bool = False
    is_flat: bool = False
    is_written: bool = True
    help: str = ""
    choices: tuple[str, ...] = ()


@cache
def shapes_of(kind: type) -> Mapping[str, Shape]:
    """Return name -> shape of a dataclass, for the fields and properties that are written."""
    hints = get_type_hints(kind, include_extras=True)
    shapes = {field.name: shape_of(hints[field.name]) for field in fields(kind)}
    getters = {name: one.fget for name, one in vars(kind).items() if isinstance(one, property)}
    made = {name: get_type_hints(getter, include_extras=True)["return"] for name, getter in getters.items()}
    shapes |= {name: shape_of(hint) for name, hint in made.items() if _Written() in getattr(hint, "__metadata__", ())}
    return {name: shape for name, shape in shapes.items() if shape.is_written}


def shape_of(hint: Any) -> Shape:  # noqa: ANN401 - a type
    """Return the shape that a type stands for."""
    marks: list[object] = []
    is_nullable = False
    while get_origin(hint) in (Annotated, Union, UnionType):
        if get_origin(hint) is Annotated:
            hint, *new_marks = get_args(hint)
            marks += new_marks
        else:
            is_nullable = is_nullable or NoneType in get_args(hint)
            [hint] = [member for member in get_args(hint) if member is not NoneType]
    origin = get_origin(hint)
    parts = get_args(hint) if origin in (list, tuple, dict, Sequence, Mapping) else ()
    return Shape(
        kind=hint if origin is Literal else origin or hint,
        carries=next((mark.fields for mark in marks if isinstance(mark, Carries)), None),
        parts=tuple(shape_of(part) for part in parts if part is not Ellipsis),
        is_nullable=is_nullable,
        is_omitted=any(isinstance(mark, _Omitted) for mark in marks),
        is_flat=any(isinstance(mark, _Inlined) for mark in marks),
        is_written=not any(isinstance(mark, _Unwritten) for mark in marks),
        help=next((mark.text for mark in marks if isinstance(mark, Help)), ""),
        choices=next((mark.choices for mark in marks if isinstance(mark, OneOf)), ()),
    )


def as_json(value: Any) -> Json:  # noqa: ANN401 - any report or part of one
    """Convert a report, a part of one, or a list of them to JSON values."""
    kind: type = type(value)
    if is_dataclass(kind):
        return _writer_of_class(kind)(value)
    if isinstance(value, Mapping):
        return {key: as_json(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(one) for one in value]
    return value


def json_document(report: object) -> str:
    """Write a report as one JSON document. Raises ValueError for NaN and infinity."""
    return json.dumps(as_json(report), ensure_ascii=False, allow_nan=False)


Writer = Callable[[Any], Json]


@cache
def _writer_of_class(kind: type) -> Writer:
    writers = [(name, shape, _writer_of(shape)) for name, shape in shapes_of(kind).items()]

    def write(value: Any) -> Json:  # noqa: ANN401
        entries: dict[str, Json] = {}
        for name, shape, writer in writers:
            one = getattr(value, name)
            if one is None and shape.is_omitted:
                continue
            if shape.is_flat:
                entries |= writer(one)
            else:
                entries[name] = writer(one)
        return entries

    return write


def _writer_of(shape: Shape) -> Writer:
    if shape.carries is not None:
        return _figure_writer(shape.carries)
    if shape.parts:
        inner = _writer_of(shape.parts[-1])
        if shape.kind in (dict, Mapping):
            return lambda value: None if value is None else {key: inner(one) for key, one in value.items()}
        return lambda value: None if value is None else [inner(one) for one in value]
    if shape.kind in (int, float, str, bool):
        return lambda value: value
    if shape.kind in (date, datetime):
        return lambda value: None if value is None else value.isoformat().replace("+00:00", "Z")
    return as_json


def _figure_writer(carried: tuple[str, ...]) -> Writer:
    def write(figure: Any) -> Json:  # noqa: ANN401 - a figure or None
        if figure is None:
            return None
        entries: dict[str, Json] = {"value": figure.value} | {name: getattr(figure, name) for name in carried}
        return entries if figure.undefined is None else entries | {"undefined": figure.undefined}

    return write
