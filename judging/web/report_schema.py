"""Serializers of the dataclasses of reports, for the description of the HTTP API."""

from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from datetime import date, datetime
from functools import cache
from typing import Any, Literal, get_args, get_origin

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from evenhand.report_json import Shape, shapes_of

Field = serializers.Field[Any, Any, Any, Any]
SIMPLE: Mapping[Any, type[Field]] = {
    int: serializers.IntegerField,
    float: serializers.FloatField,
    str: serializers.CharField,
    bool: serializers.BooleanField,
    date: serializers.DateField,
    datetime: serializers.DateTimeField,
    Any: serializers.JSONField,
}


class FigureSerializer(serializers.Serializer[Any]):
    """A number, or null with the reason under `undefined`. With a number, the reason why it has no interval."""

    value = serializers.FloatField(allow_null=True)
    undefined = serializers.CharField(required=False)


_PARTS = {
    "n": serializers.IntegerField(allow_null=True),
    **{name: serializers.FloatField(allow_null=True) for name in ("low", "high", "below")},
    **{name: serializers.IntegerField() for name in ("pairs", "contexts")},
}
_KINDS = {"": (), "Counted": ("n",), "Interval": ("low", "high", "n"), "Mass": ("low", "high", "n", "below")}
FIGURE_SERIALIZERS = {
    carried: type(f"{kind}FigureSerializer", (FigureSerializer,), {name: _PARTS[name] for name in carried})
    for kind, carried in {**_KINDS, "Soft": ("pairs", "contexts")}.items()
}
"""Parts of a figure -> its serializer."""


@cache
def serializer_of(kind: type) -> type[serializers.Serializer[Any]]:
    """Return the serializer of a dataclass, with a field for each of its fields."""
    entries: dict[str, Field] = {}
    for name, shape in shapes_of(kind).items():
        if shape.is_flat:
            entries |= _flat_fields(shape)
        else:
            entries[name] = _field(shape)
    name = f"{kind.__name__}Serializer"
    return type(name, (serializers.Serializer,), entries | {"__doc__": kind.__doc__, "__module__": __name__})


def _flat_fields(shape: Shape) -> dict[str, Field]:
    if shape.is_omitted:
        return {name: _field(part, required=False) for name, part in shapes_of(shape.kind).items()}
    owner = serializer_of(shape.kind) if shape.carries is None else FIGURE_SERIALIZERS[shape.carries]
    fields: dict[str, Field] = owner().get_fields()
    return fields


def _field(shape: Shape, **options: Any) -> Field:  # noqa: ANN401 - options of a field
    if shape.is_omitted:
        options["required"] = False
    elif shape.is_nullable:
        options["allow_null"] = True
    if shape.help:
        options["help_text"] = shape.help
    if shape.carries is not None:
        return FIGURE_SERIALIZERS[shape.carries](**options)
    kind: type = shape.kind
    if is_dataclass(kind):
        return serializer_of(kind)(**options)
    return _plain_field(shape, options)


def _plain_field(shape: Shape, options: dict[str, Any]) -> Field:
    if shape.choices:
        return serializers.ChoiceField(shape.choices, **options)
    if get_origin(shape.kind) is Literal:
        return serializers.ChoiceField(get_args(shape.kind), **options)
    if shape.kind in (dict, Mapping):
        return serializers.DictField(child=_field(shape.parts[-1]), **options)
    if shape.kind in (list, tuple, Sequence):
        child = _field(shape.parts[0])
        if isinstance(child, serializers.Serializer):
            return _list_with_nulls(child, options) if child.allow_null else type(child)(many=True, **options)
        return serializers.ListField(child=child, **options)
    return SIMPLE[shape.kind](**options)


def _list_with_nulls(child: serializers.Serializer[Any], options: dict[str, Any]) -> Field:
    """Return the field of a list whose entries may be null. The schema of a list of serializers cannot say so."""
    name = type(child).__name__.removesuffix("Serializer")
    described = extend_schema_field({"allOf": [{"$ref": f"#/components/schemas/{name}"}], "nullable": True})
    return serializers.ListField(child=described(type(f"Nullable{name}", (serializers.JSONField,), {}))(), **options)
