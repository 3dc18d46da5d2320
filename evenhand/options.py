"""Options of an operation: the keyword-only parameters of its function. Notebook, page, API and command read them here.

def stopping_report(run, *, bound: Annotated[tuple[float, ...], Option("Reordered pairs.", above=0)] = (0.1,)): ...

Rows, files and the person who asks are positional: they are no options.
"""

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from evenhand.refusals import Refusals, Refused, did_you_mean, unknown_choice

NO_DEFAULT = inspect.Parameter.empty
LARGEST = 2**63 - 1  # whole number that databases and caches take
TRUE, FALSE = {"true", "yes", "on", "1"}, {"false", "no", "off", "0"}


@dataclass(frozen=True, slots=True)
class Option:
    """An option of an operation: in a signature, what its type cannot say; from `options_of`, all of it.

    low, high: the ends of a number's range. above, below: the same, without these ends.
    most: how many values it takes. longest: characters of a text. choices: the possible values with their titles;
    with titles for both its values, a switch is a choice of two on pages.
    row: the noun of the row that it names, such as "run"; the door finds it for the person who asks.
    key: the column by which people name that row; "" for its number.
    if_none: what it means to give no value, in words.
    takes_names: its value is a mapping from names; "" is the name of a value without one.
    argument: its name on the command line, if that is another.
    """

    help: str = ""
    title: str = ""
    low: float | None = None
    high: float | None = None
    above: float | None = None
    below: float | None = None
    most: int | None = None
    longest: int | None = None
    choices: Mapping[Any, str] | None = None
    row: str = ""
    key: str = ""
    if_none: str = ""
    argument: str = ""
    name: str = ""
    kind: type = str
    takes_several: bool = False
    takes_names: bool = False
    default: Any = NO_DEFAULT

    @property
    def is_required(self) -> bool:
        return self.default is NO_DEFAULT

    def read(self, value: Any) -> Any:  # noqa: ANN401 - text or JSON
        """Return the value of text or JSON, of the option's type. Raises Refused with the sentence for a person."""
        if self.takes_names:
            return self._read_names(value)
        if not self.takes_several:
            return self._read_one(value)
        parts = list({str(part): part for part in self._parts(value) if str(part).strip()}.values())
        if self.most is not None and len(parts) > self.most:
            raise Refused(f"{self.name}: {len(parts)} of them; give at most {self.most}")
        return tuple(self._read_one(part) for part in parts)

    def _read_names(self, value: Any) -> dict[str, Any]:  # noqa: ANN401 - text or JSON
        """Return the value of each name, from an object of JSON or from texts such as "fluency=Which flows better?"."""
        given = value if isinstance(value, Mapping) else dict(_named(str(part)) for part in self._parts(value))
        return {str(name): self._read_one(one) for name, one in given.items() if one is not None and str(one).strip()}

    def _parts(self, value: Any) -> Iterable[Any]:  # noqa: ANN401 - text or JSON
        """Yield the single values. One text has a value on each line; numbers may have commas between them."""
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(one, str) and self.kind in (int, float):
                yield from one.split(",")
            elif one is value and isinstance(one, str):
                yield from map(str.strip, one.splitlines())
            else:
                yield one

    def _read_one(self, value: Any) -> Any:  # noqa: ANN401 - text or JSON, and the option's type
        if isinstance(value, (list, tuple, dict)):
            raise Refused(f"{self.name}: {len(value)} values; give one")
        text = str(value).strip()
        if self.kind is bool:
            if text.lower() not in TRUE | FALSE:
                raise Refused(f'{self.name}: "{text}" is neither true nor false')
            return text.lower() in TRUE
        if self.choices is not None:
            return self._read_choice(text, {str(choice): choice for choice in self.choices if choice != ""})
        if self.kind is datetime:
            return self._read_time(text)
        if self.kind is Path:
            return Path(text)
        return self._read_text(str(value)) if self.kind is str else self._read_number(text)

    def _read_choice(self, text: str, known: Mapping[str, Any]) -> Any:  # noqa: ANN401 - one of the choices
        if text not in known:
            raise Refused(unknown_choice(self.name, text, known))
        return known[text]

    def _read_text(self, text: str) -> str:
        if any(one == "\0" or "\ud800" <= one <= "\udfff" for one in text):
            raise Refused(f"{self.name}: has a character that no text may have — remove it")
        if self.longest is not None and len(text) > self.longest:
            raise Refused(f"{self.name}: {len(text):,} characters — write at most {self.longest:,}")
        return text

    def _read_time(self, text: str) -> datetime:
        """Read a date and time, in UTC unless it names another zone."""
        try:
            time = datetime.fromisoformat(text)
        except ValueError:
            raise Refused(f'{self.name}: "{text}" is not a date and time — write it as 2027-06-30T18:00') from None
        return time if time.tzinfo else time.replace(tzinfo=UTC)

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
        if self.kind is int and abs(number) > LARGEST:
            raise Refused(f"{self.name}: {text} — give {wanted} of at most {LARGEST:,}")
        return number


def _named(text: str) -> tuple[str, str]:
    name, is_named, value = text.partition("=")
    return (name.strip(), value.strip()) if is_named else ("", text.strip())


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
    takes_several, takes_names = get_origin(hint) in (tuple, Sequence, Collection), get_origin(hint) is Mapping
    hint = get_args(hint)[-1 if takes_names else 0] if takes_several or takes_names else hint
    mark = next((mark for mark in marks if isinstance(mark, Option)), Option())
    values = get_args(hint) if get_origin(hint) is Literal else ()
    choices = mark.choices if mark.choices is not None or not values else {value: str(value) for value in values}
    return replace(
        mark,
        name=parameter.name,
        kind=(str if mark.key else int) if mark.row else type(values[0]) if values else hint,
        takes_several=takes_several,
        takes_names=takes_names,
        choices=choices,
        default=parameter.default,
    )


def values_for(function: Callable[..., Any], read: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of one operation's options among those that were read for several."""
    return {option.name: read[option.name] for option in options_of(function)}


def require_values(function: Callable[..., Any], **values: Any) -> None:  # noqa: ANN401 - of the options
    """Raise Refused for each value that an option of the operation cannot have."""
    refusals = Refusals()
    for option in options_of(function):
        if option.name in values:
            refusals.of(partial(option.read, values[option.name]))
    refusals.raise_if_any()


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
            if value is not None and not (isinstance(value, (str, list, tuple, dict)) and not len(value)):
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
