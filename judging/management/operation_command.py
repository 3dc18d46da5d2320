"""The command of any operation that has a record."""

from collections.abc import Callable, Mapping
from typing import Any

from django.core.management.base import CommandParser

from judging.management.evenhand_command import EvenhandCommand
from judging.management.operations.record import Operation
from judging.management.rows_by_name import get_account, get_dataset, get_run
from judging.web.options import add_option_arguments, options_in_arguments

FINDERS: Mapping[str, tuple[Callable[[Any], object], str]] = {
    "account": (get_account, "name of the account; the command accounts lists them"),
    "dataset": (get_dataset, "name of the dataset"),
    "run": (get_run, "number of the run; the command runs lists them"),
}
"""noun of a row -> the function that finds it, and the help of its argument."""


class OperationCommand(EvenhandCommand):
    """Carries out one operation and prints its answer."""

    def __init__(self, operation: Operation, **settings: Any) -> None:  # noqa: ANN401 - Django's
        super().__init__(**settings)
        self.operation = operation
        self.help, self.examples, self.takes_json = operation.help, operation.examples, operation.takes_json

    def add_arguments(self, parser: CommandParser) -> None:
        noun, placed = self.operation.of, self.operation.placed
        if noun:
            kind: dict[str, Any] = {"type": int, "metavar": "RUN"} if noun == "run" else {"metavar": "NAME"}
            kind |= {"help": FINDERS[noun][1]}
            if self.operation.is_named:
                parser.add_argument(f"--{noun}", dest="row", required=True, **kind)
            else:
                parser.add_argument("row", **kind)
        for option in self.operation.options:
            if option.name in placed:
                metavar = (option.argument or option.name).upper()
                parser.add_argument(option.name, metavar=metavar, help=option.help.removesuffix("."))
        others = (one for one in self.operation.options if one.name not in placed)
        add_option_arguments(parser, others, is_once_each=True)

    def run(self, options: dict[str, Any]) -> Any:  # noqa: ANN401 - of the operation
        rows = [FINDERS[self.operation.of][0](options["row"])] if self.operation.of else []
        result = self.operation.function(*rows, **options_in_arguments(options, self.operation.options))
        for note in self.operation.notes(result):
            self.note(note)
        return result

    def show(self, result: Any) -> None:  # noqa: ANN401 - of the operation
        for line in self.operation.lines(result):
            self.stdout.write(line)
