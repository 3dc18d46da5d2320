"""Options of an operation: the keyword-only parameters of its function. Notebook, page, API and command read them here.

def stopping_report(run, *, bound: Annotated[tuple[float, ...], Option("Reordered pairs.", above=0)] = (0.1,)): ...

Rows, files and the person who asks are positional: they are no options.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from evenhand.refusals import Refused, did_you_mean, unknown_choice

NO_DEFAULT = inspect.Parameter.empty
TRUE, FALSE = {"true", "yes", "on", "1"}, {"false", "no", "off", "0"}


@dataclass(frozen=True, slots=True)
class Option:
    """An option of an operation: in a signature, what its type cannot say; from `options_of`, all of it.

    low, high: the ends of a number's range. above, below: the same, without these ends.
    most: how many values it takes. choices: the possible values with their titles.
    row: the noun of the row whose number it is, such as "run"; the door finds it for the person who asks.
    """

    help: str = ""
    title: str = ""
    low: float | None = None
    high: float | None = None
    above: float | None = None
    below: float | None = None
    most: int | None = None
    choices: Mapping[Any, str] | None = None
    row: str = ""
    name: str = ""
    kind: type = str
    takes_several: bool = False
    default: Any = NO_DEFAULT

    @property
    def is_required(self) -> bool:
        return self.default is NO_DEFAULT

    def read(self, value: Any) -> Any:  # noqa: ANN401 - text or JSON
        """Return the value of text or JSON, of the option's type. Raises Refused with the sentence for a person."""
        if not self.takes_several:
            if isinstance(value, (list, tuple, dict)):
                raise Refused(f"{self.name}: {len(value)} values; give one")
            return self._read_one(value)
        parts = list(dict.fromkeys(part for part in self._parts(value) if str(part).strip()))
        if self.most is not None and len(parts) > self.most:
            raise Refused(f"{self.name}: {len(parts)} of them; give at most {self.most}")
        return tuple(self._read_one(part) for part in parts)

    def _parts(self, value: Any) -> Iterable[Any]:  # noqa: ANN401 - text or JSON
        """Yield the single values. In one text, lines are apart; numbers may have commas between them."""
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(one, str):
                yield from one.split(",") if self.kind in (int, float) else one.splitlines()
            else:
                yield one

    def _read_one(self, value: Any) -> Any:  # noqa: ANN401 - text or JSON, and the option's type
        text = str(value).strip()
        if self.choices is not None:
            known = {str(choice): choice for choice in self.choices if choice != ""}
            if text not in known:
                raise Refused(unknown_choice(self.name, text, known))
            return known[text]
        if self.kind is bool:
            if text.lower() not in TRUE | FALSE:
                raise Refused(f'{self.name}: "{text}" is neither true nor false')
            return text.lower() in TRUE
        return str(value) if self.kind is str else self._read_number(text)

    def _limits(self) -> str:
        """Write the range of a number, with a space in front; "" if it has no end."""
        if self.low is not None and self.high is not None:
            return f" from {self.low:,} to {self.high:,}"
        ends = {"of at least": self.low, "above": self.above, "of at most": self.high, "below": self.below}
        words = " and ".join(f"{word} {end:,}" for word, end in ends.items() if end is not None)
        return f" {words}" if words else ""

    def _read_number(self, text: str) -> float:
        wanted = "a whole number" if self.kind is int else "a number"
        limits = self._limits()
        try:
            number: float = self.kind(text)
        except ValueError:
            raise Refused(f'{self.name}: "{text}" — give {wanted}{limits}') from None
        is_possible = (
            (self.low is None or number >= self.low)
            and (self.high is None or number <= self.high)
            and (self.above is None or number > self.above)
            and (self.below is None or number < self.below)
        )
        if not is_possible or number != number:
            raise Refused(f"{self.name}: {text} — give {wanted}{limits}")
        return number


@cache
def options_of(function: Callable[..., Any]) -> tuple[Option, ...]:
    """Return the options of an operation, in order."""
    hints = get_type_hints(function, include_extras=True)
    parameters = inspect.signature(function).parameters.values()
    return tuple(_option(one, hints[one.name]) for one in parameters if one.kind is one.KEYWORD_ONLY)


def _option(parameter: inspect.Parameter, hint: Any) -> Option:  # noqa: ANN401 - a type
    hint, *marks = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    if get_origin(hint) in (Union, UnionType):
        [hint] = [one for one in get_args(hint) if one is not NoneType]
    takes_several = get_origin(hint) is tuple
    hint = get_args(hint)[0] if takes_several else hint
    mark = next((mark for mark in marks if isinstance(mark, Option)), Option())
    values = get_args(hint) if get_origin(hint) is Literal else ()
    choices = mark.choices if mark.choices is not None or not values else {value: str(value) for value in values}
    return replace(
        mark,
        name=parameter.name,
        kind=int if mark.row else type(values[0]) if values else hint,
        takes_several=takes_several,
        choices=choices,
        default=parameter.default,
    )


def read_options(options: Iterable[Option], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value of each option, by name. What is absent, None, empty text or an empty list has its default.

    Raises Refused with one sentence for each option that is unknown, missing or not possible.
    """
    known = {option.name: option for option in options}
    problems = [
        f"{name}: unknown{did_you_mean(name, known)}; there are: {', '.join(known) or 'no options'}"
        for name in values
        if name not in known
    ]
    read = {}
    for name, option in known.items():
        value = values.get(name)
        try:
            if value is not None and not (isinstance(value, (str, list, tuple)) and not len(value)):
                read[name] = option.read(value)
            elif option.is_required:
                problems.append(f"{name}: needed")
            else:
                read[name] = option.default
        except Refused as refused:
            problems += refused.problems
    if problems:
        raise Refused(*problems)
    return read
