"""Options of an operation as fields of a form, as a request of the HTTP API and as arguments of a command.

These describe the options. `evenhand.options.read_options` alone reads and refuses, in the same words for all.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterable
from typing import Any

from django import forms
from django.http import QueryDict
from rest_framework import serializers

from evenhand.options import Option

METAVARS = {int: "N", float: "NUMBER", str: "TEXT"}
PLAIN_FIELDS: dict[type, Any] = {
    int: serializers.IntegerField,
    float: serializers.FloatField,
    bool: serializers.BooleanField,
    str: serializers.CharField,
}


def values_sent(data: QueryDict) -> dict[str, Any]:
    """Return the values of an address or a form: a list for a name that has several."""
    return {name: values if len(values) > 1 else values[0] for name, values in data.lists() if values}


class OfferedChoice(forms.ChoiceField):
    """A choice. The operation refuses others, in its own words."""

    def validate(self, value: Any) -> None:  # noqa: ANN401 - Django's signature
        """Accept every value."""


class OfferedChoices(forms.MultipleChoiceField):
    """Several of some choices. The operation refuses others, in its own words."""

    def validate(self, value: Any) -> None:  # noqa: ANN401 - Django's signature
        """Accept every value."""


def option_fields(options: Iterable[Option]) -> dict[str, forms.Field]:
    """Return a field for each option, by name. None is needed: an empty field has the default."""
    return {option.name: _form_field(option) for option in options}


def _form_field(option: Option) -> forms.Field:
    about: dict[str, Any] = {"label": option.title or None, "required": False, "initial": _initial(option)}
    if option.choices is not None and not option.takes_several:
        return OfferedChoice(choices=list(option.choices.items()), **about)
    if option.kind is bool:
        return forms.BooleanField(**about)
    if option.takes_several and option.kind is str:
        return forms.CharField(widget=forms.Textarea({"rows": 2}), help_text=option.help, **about)
    number = option.kind in (int, float) and not option.takes_several
    return forms.CharField(widget=forms.NumberInput(_ends(option)) if number else forms.TextInput(), **about)


def _initial(option: Option) -> Any:  # noqa: ANN401 - a value of the option
    if option.is_required or option.default is None:
        return ""
    return ", ".join(map(str, option.default)) if option.takes_several else option.default


def _ends(option: Option) -> dict[str, Any]:
    low, high = (option.low, option.above), (option.high, option.below)
    ends = {name: next((end for end in two if end is not None), None) for name, two in (("min", low), ("max", high))}
    return {"step": 1 if option.kind is int else "any"} | {name: end for name, end in ends.items() if end is not None}


def request_of(options: Iterable[Option], *, name: str) -> type[serializers.Serializer[Any]]:
    """Return the serializer that describes a request with these options."""
    return type(name, (serializers.Serializer,), {option.name: _request_field(option) for option in options})


def _request_field(option: Option) -> Any:  # noqa: ANN401 - a field
    about: dict[str, Any] = {"help_text": option.help}
    about |= {"required": True} if option.is_required else {"required": False, "default": option.default}
    if option.default is None:
        about |= {"allow_null": True}
    one = {} if option.takes_several else about
    ends = {name: end for name, end in (("min_value", option.low), ("max_value", option.high)) if end is not None}
    if option.choices is not None:
        field: Any = serializers.ChoiceField([value for value in option.choices if value], allow_blank=True, **one)
    else:
        field = PLAIN_FIELDS[option.kind](**({"allow_blank": True} if option.kind is str else ends), **one)
    return serializers.ListField(child=field, **about) if option.takes_several else field


def add_option_arguments(parser: ArgumentParser, options: Iterable[Option]) -> None:
    """Add an argument for each option. argparse passes on text."""
    for option in options:
        words: dict[str, Any] = {"help": _help(option), "default": None, "dest": option.name}
        if option.kind is bool:
            words |= {"action": "store_true"}
        else:
            offered = option.choices and "|".join(str(value) for value in option.choices if value)
            words |= {"metavar": offered or METAVARS[option.kind]}
        if option.takes_several:
            words |= {"action": "extend", "nargs": "+"} if option.kind is str else {"action": "append"}
        parser.add_argument(f"--{option.name.replace('_', '-')}", **words)


def _help(option: Option) -> str:
    """Return the help of an argument, with its default."""
    text = f"{option.help[:1].lower()}{option.help[1:].removesuffix('.')}".replace("%", "%%")
    several = "; may be repeated" * option.takes_several
    if option.is_required:
        return f"{text}{several} (required)"
    if option.kind is bool:
        return f"{text} (default: off)"
    usual = _initial(option)
    return f"{text}{several} (default: {'none' if usual == '' else usual})"
