"""The base of all commands: help, exit statuses, one JSON document, problems on standard error."""

import json
import re
import sys
from abc import ABC, abstractmethod
from argparse import Action
from collections.abc import Sequence
from typing import Any, NoReturn

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import InterfaceError, OperationalError, ProgrammingError, connection
from rich_argparse import RawDescriptionRichHelpFormatter

from evalsite import __version__
from evalsite.cli import BAD_INPUT_STATUS, failure_json
from evenhand.engine import EngineError, LoadFailed, Unavailable
from evenhand.file_problems import InvalidFile
from evenhand.refusals import Refused, did_you_mean
from judging.models import Run
from judging.models.activity_and_looks import Look
from judging.services.activity import SHOWN

RETRY_ADVICE = "Run the same command again once the database is back. Stored answers are kept."


class HelpFormatter(RawDescriptionRichHelpFormatter):
    """Help of a command: every option with its default, then the examples."""

    text_markup = False  # square brackets are text

    def _get_help_string(self, action: Action) -> str:
        text = action.help or ""
        if not action.option_strings or "default: " in text or text.endswith("(required)") or action.dest == "help":
            return text
        if action.required:
            return f"{text} (required)"
        if isinstance(action.default, int) and action.default is not False:
            return f"{text} (default: %(default)s)"
        empty = "off" if action.const is True else "none"
        return f"{text} (default: %(default)s)" if action.default else f"{text} (default: {empty})"


class EvenhandCommand(BaseCommand, ABC):
    """A command with exit status 0 for done, 2 for bad input and 1 for anything else.

    Subclasses implement `run(options)`, whose result `--json` prints, and mostly `show(result)`.
    examples: command lines for the help, without the name of the program.
    """

    examples: Sequence[str] = ()
    takes_json = True  # False for commands that print no result, or have a `--json` of their own
    prints_json = False
    is_command_line = False  # False for call_command, where errors are raised
    requires_system_checks = ()  # they load every page, half a second each time; `manage.py check` runs them
    suppressed_base_arguments = {  # they work, and the help leaves them out
        "--version",
        "--verbosity",
        "--settings",
        "--pythonpath",
        "--traceback",
        "--no-color",
        "--force-color",
    }

    def get_version(self) -> str:
        return __version__

    def create_parser(self, prog_name: str, subcommand: str, **options: Any) -> CommandParser:  # noqa: ANN401
        options |= {"formatter_class": HelpFormatter, "allow_abbrev": False}
        parser = super().create_parser(prog_name, subcommand, **options)
        if self.takes_json:
            self.add_output_arguments(parser)
        program = parser.prog.removesuffix(f" {subcommand}")
        parser.epilog = "\n".join(["examples:", *(f"  {program} {example}" for example in self.examples)])
        parser.called_from_command_line = False  # a wrong option raises CommandError
        return parser

    def add_output_arguments(self, parser: CommandParser) -> None:
        """Add the options of the printed result, which stand last in the help."""
        parser.add_argument("--json", action="store_true", help="print exactly one JSON document")

    def add_dataset_option(self, parser: CommandParser, *, required: bool = True) -> None:
        parser.add_argument("--dataset", required=required, metavar="NAME", help="name of the dataset")

    def add_runs_option(self, parser: CommandParser, *, default: str = "all") -> None:
        """Add `--run`, which may be repeated. default: the runs without it, in words."""
        parser.add_argument(
            "--run",
            type=int,
            action="append",
            default=[],
            dest="runs",
            metavar="RUN",
            help=f"number of a run; may be repeated (default: {default})",
        )

    def add_run_argument(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=int, metavar="RUN", help="number of the run; the command runs lists them")

    @abstractmethod
    def run(self, options: dict[str, Any]) -> object: ...

    def show(self, result: Any) -> None:  # noqa: ANN401 - the result of run()
        """Print the result for people; nothing for commands without one."""

    def json_of(self, result: Any) -> object:  # noqa: ANN401 - whatever run() returned
        """The result as JSON values."""
        return result

    def status_of(self, result: Any) -> int:  # noqa: ANN401 - whatever run() returned
        """The exit status of a command that was carried out."""
        return 0

    def stderr_line(self, line: str) -> None:
        """Print a line on standard error, in no colour."""
        self.stderr.write(line, str)

    def note(self, line: str) -> None:
        """Print progress or a warning on standard error."""
        self.stderr.write(line, self.style.WARNING)

    def run_from_argv(self, argv: list[str]) -> None:
        """Run the command line. Failures end the program with their status, and with `--json` print JSON."""
        self.is_command_line, self.prints_json = True, "--json" in argv
        try:
            super().run_from_argv(argv)
        except CommandError as error:
            parser = self.create_parser(*argv[:2])
            self.fail([_explain_usage_error(str(error), parser)], status=BAD_INPUT_STATUS)

    def execute(self, *args: Any, **options: Any) -> str | None:  # noqa: ANN401 - Django's signature
        try:
            return super().execute(*args, **options)
        except CommandError as error:
            if not self.is_command_line or options["traceback"]:
                raise
            self.fail(str(error).splitlines(), status=error.returncode)
        except Exception as error:
            if self.is_command_line and self.prints_json:
                self.stdout.write(failure_json([f"{type(error).__name__}: {error}"], status=1), ending="")
            raise

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ANN401 - Django's signature
        self.prints_json = bool(options.get("json"))
        token = SHOWN.set((Look.Door.COMMAND, set()))
        try:
            result = self.run(options)
        except Unavailable as unavailable:  # the input may be good, so the status is 1
            raise CommandError(str(unavailable)) from unavailable
        except (Refused, InvalidFile, LoadFailed) as refusal:
            self.fail([str(problem) for problem in getattr(refusal, "problems", [refusal])], status=BAD_INPUT_STATUS)
        except EngineError as failure:
            raise CommandError(str(failure)) from failure
        except (OperationalError, InterfaceError, ProgrammingError) as error:
            if advice := _advise_on_database_error(error):
                raise CommandError(advice) from error
            raise
        finally:
            SHOWN.reset(token)
        if self.prints_json:
            self.stdout.write(json.dumps(self.json_of(result), allow_nan=False, ensure_ascii=False))
        else:
            self.show(result)
        if status := self.status_of(result):
            sys.exit(status)

    def fail(self, problems: list[str], *, status: int) -> NoReturn:
        """Print problems on standard error, with `--json` as JSON too, and end the program."""
        for problem in problems:
            self.stderr.write(problem)
        if self.prints_json:
            self.stdout.write(failure_json(problems, status=status), ending="")
        sys.exit(status)


def _explain_usage_error(message: str, parser: CommandParser) -> str:
    """Add suggestions for misspelt options, and where the right ones are."""
    known = set(re.findall(r"--[\w-]+", parser.format_usage()))
    for kind, meaning in (("int", "a whole number"), ("float", "a number")):
        message = re.sub(rf"invalid {kind} value: (.*)", rf"\1 is not {meaning}", message)
    given = re.findall(r"--[\w-]+", message) if "unrecognized" in message else []
    suggestions = "".join(did_you_mean(option, known - {option}) for option in given)
    return f"{message.removeprefix('Error: ')}{suggestions}; see {parser.prog} --help"


def _advise_on_database_error(error: Exception) -> str:
    """Explain an unreachable or empty database. Return "" if the database works and the error has another cause."""
    try:
        tables = connection.introspection.table_names()
    except (OperationalError, InterfaceError):
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        return f"the database cannot be reached: {reason}\n{RETRY_ADVICE}"
    if Run._meta.db_table not in tables:
        return "the database has no tables yet; run the command `migrate` first"
    return ""
