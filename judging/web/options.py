"""Options of an operation as fields of a form and as arguments of a command. `api_input.py`: as requests of the API.

These describe the options. `evenhand.options.read_options` alone reads and refuses, in the same words for all.
"""

from argparse import BooleanOptionalAction, _ActionsContainer
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from django import forms
from django.db.models import QuerySet
from django.http import QueryDict

from evenhand.options import Option, read_options
from evenhand.refusals import Refusals, Refused, did_you_mean
from judging.models import User
from judging.services.names import row_of_name
from judging.web.form_fields import DeadlineInput

METAVARS = {int: "N", float: "NUMBER", str: "TEXT", datetime: "TIME", Path: "FILE"}
MOST_IN_USAGE = 10
YES_OR_NO = {True: "yes", False: "no"}
"""A switch as a choice of two in forms and addresses."""
LONG_TEXT = 1_000
"""Texts that may be longer have a large field."""
LARGEST_ROW = 2**63 - 1
"""The largest number of a row. Databases refuse to look for larger ones."""


def values_sent(data: QueryDict) -> dict[str, Any]:
    """Return the values of an address or a form: a list for a name that has several. The token of a form is none."""
    sent = {name: values if len(values) > 1 else values[0] for name, values in data.lists() if values}
    sent.pop("csrfmiddlewaretoken", None)
    return sent


class OfferedChoice(forms.ChoiceField):
    """A choice. The operation refuses others, in its own words."""

    def validate(self, value: Any) -> None:  # noqa: ANN401 - Django's signature
        """Accept every value."""


class OfferedChoices(forms.MultipleChoiceField):
    """Several of some choices. The operation refuses others, in its own words."""

    def validate(self, value: Any) -> None:  # noqa: ANN401 - Django's signature
        """Accept every value."""


def option_fields(options: Iterable[Option], *, with_help: bool = False) -> dict[str, forms.Field]:
    """Return a field for each option, by name. None is needed: an empty field has the default."""
    return {option.name: _form_field(option, option.help if with_help else "") for option in options}


def _form_field(option: Option, shown_help: str) -> forms.Field:
    about: dict[str, Any] = {"label": option.title or None, "required": False, "initial": _initial(option)}
    about["help_text"] = shown_help
    if option.kind is bool and option.choices:
        titles = [(YES_OR_NO[bool(value)], title) for value, title in option.choices.items()]
        return OfferedChoice(choices=titles, **about | {"initial": YES_OR_NO[bool(option.default)]})
    if option.choices is not None:
        about |= {"choices": list(option.choices.items())}
        boxes = forms.CheckboxSelectMultiple
        return OfferedChoices(widget=boxes, **about) if option.takes_several else OfferedChoice(**about)
    if option.kind is bool:
        return forms.BooleanField(**about)
    if option.kind is datetime:
        return forms.CharField(widget=DeadlineInput(), **about)
    if option.takes_several and option.kind is str:
        told = {"help_text": f"{option.help} One a line."}
        return forms.CharField(widget=forms.Textarea({"rows": 2}), **about | told)
    if (option.longest or 0) > LONG_TEXT:
        return forms.CharField(widget=forms.Textarea({"rows": 10}), **about)
    number = option.kind in (int, float) and not (option.takes_several or option.takes_names)
    shown = {"placeholder": option.if_none} if option.if_none else {}
    widget = forms.NumberInput(_ends(option) | shown) if number else forms.TextInput(shown)
    return forms.CharField(widget=widget, **about)


def _initial(option: Option) -> Any:  # noqa: ANN401 - a value of the option
    if option.is_required or option.default is None or option.takes_names:
        return ""
    if option.takes_several:
        return list(option.default) if option.choices is not None else ", ".join(map(str, option.default))
    return option.default if option.kind is bool else str(option.default)


def _ends(option: Option) -> dict[str, Any]:
    low, high = (option.low, option.above), (option.high, option.below)
    ends = {name: next((end for end in two if end is not None), None) for name, two in (("min", low), ("max", high))}
    return {"step": 1 if option.kind is int else "any"} | {name: end for name, end in ends.items() if end is not None}


def add_option_arguments(parser: _ActionsContainer, options: Iterable[Option], *, is_once_each: bool = False) -> None:
    """Add an argument for each option. argparse passes on text.

    is_once_each: True beside arguments without a name, which several values of an option would swallow.
    """
    for option in options:
        words: dict[str, Any] = {"help": _help(option), "default": None, "dest": option.name}
        if option.kind is bool:
            words |= {"action": "store_true" if option.default is False else BooleanOptionalAction}
        else:
            offered = None if _has_many(option) else "|".join(_offered(option))
            metavar = offered or option.row.upper() or METAVARS[option.kind]
            words |= {"metavar": f"[NAME=]{metavar}" if option.takes_names else metavar}
        if option.takes_several or option.takes_names:
            is_list = (option.kind is str or option.row) and not is_once_each
            words |= {"action": "extend", "nargs": "+"} if is_list else {"action": "append"}
        parser.add_argument(f"--{(option.argument or option.name).replace('_', '-')}", **words)


def options_in_arguments(arguments: Mapping[str, Any], options: Iterable[Option]) -> dict[str, Any]:
    """Return the options from the arguments of a command. Raises Refused with every problem."""
    own = tuple(options)
    return read_options(own, {one.name: arguments[one.name] for one in own})


def _offered(option: Option) -> list[str]:
    return [str(value) for value in option.choices or () if value != ""]


def _has_many(option: Option) -> bool:
    """True if the choices stand in the help, not in the line of usage."""
    return len(_offered(option)) > MOST_IN_USAGE


def _help(option: Option) -> str:
    """Return the help of an argument, with its default."""
    text = option.help.removesuffix(".") + (f"; one of {', '.join(_offered(option))}" if _has_many(option) else "")
    text = f"{text[:1].lower()}{text[1:]}" if not text[1:2].isupper() else text
    text = text.replace("%", "%%")
    several = "; may be repeated" * (option.takes_several or option.takes_names)
    if option.is_required:
        return f"{text}{several} (required)"
    if option.kind is bool and option.default is not None:
        return f"{text} (default: {'on' if option.default else 'off'})"
    usual = _initial(option)
    usual = ", ".join(usual) if isinstance(usual, list) else usual
    return f"{text}{several} (default: {option.if_none or 'none' if usual == '' else usual})"


@dataclass(frozen=True, slots=True)
class Offered:
    """The rows that a person may name. where: end of the sentence that one is not there. user: whose own come first."""

    rows: QuerySet[Any]
    where: str = ""
    user: User | None = None


def find_rows(options: Iterable[Option], read: Mapping[str, Any], offered: Mapping[str, Offered]) -> dict[str, Any]:
    """Return the rows that the options name. offered: noun of a row -> those that the person may see.

    Raises Refused for each name or number that none of them has.
    """
    refusals = Refusals()
    named = [option for option in options if option.row]
    rows = {one.name: refusals.of(partial(_rows, one, read[one.name], offered[one.row])) for one in named}
    refusals.raise_if_any()
    return rows


def _rows(option: Option, value: Any, offered: Offered) -> Any:  # noqa: ANN401 - a row, or several
    names = value if option.takes_several else () if value is None else (value,)
    key = option.key or "pk"
    possible = [name for name in names if option.key or abs(name) <= LARGEST_ROW]
    if option.key and hasattr(offered.rows.model, "OWNER"):
        found = {name: row for name in names if (row := row_of_name(offered.rows, name, offered.user))}
    else:
        found = {getattr(row, key): row for row in offered.rows.filter(**{f"{key}__in": possible})}
    if missing := [name for name in names if name not in found]:
        known = offered.rows.values_list(option.key, flat=True) if option.key else ()
        raise Refused(*(_no_row(option, name, offered.where, known) for name in missing))
    rows = tuple(found[name] for name in names)
    return rows if option.takes_several else next(iter(rows), None)


def _no_row(option: Option, name: Any, where: str, known: Iterable[str]) -> str:  # noqa: ANN401 - a name or a number
    shown = f'"{name}"' if option.key else name
    return f"{option.name}: there is no {option.row} {shown}{where}{did_you_mean(str(name), known)}"
