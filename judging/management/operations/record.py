"""`Operation`: something that people do or ask at once, as a command."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from evenhand.options import Option, options_of


@dataclass(frozen=True, slots=True)
class Operation:
    """Something that people do or ask at once.

    function: takes the row that it is about, if there is one, then its options. It returns the JSON of the command.
    Its docstring is the help. services: have further options, which the function passes on.
    lines: the answer for people. notes: warnings beside it. examples: command lines.
    of: noun of the row. is_named: the row is given by an option such as --dataset, else by its place.
    placed: the options that are given by their place. left_out: those that a command line must not show.
    """

    function: Callable[..., Any]
    lines: Callable[[Any], Iterable[str]]
    examples: tuple[str, ...]
    of: str = ""
    is_named: bool = False
    services: tuple[Callable[..., Any], ...] = ()
    placed: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    notes: Callable[[Any], Iterable[str]] = lambda result: ()
    takes_json: bool = True

    @property
    def help(self) -> str:
        """Return the first paragraph of the function's docstring."""
        return " ".join((self.function.__doc__ or "").split("\n\n")[0].split())

    @property
    def options(self) -> tuple[Option, ...]:
        """Return the options of the services, then those of the function, whose own stand before theirs."""
        options = {one.name: one for made in (*self.services, self.function) for one in options_of(made)}
        return tuple(one for one in options.values() if one.name not in self.left_out)
