"""The base of all commands: exit statuses, one JSON document, problems on standard error."""

import json
import sys
from abc import ABC, abstractmethod
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import InterfaceError, OperationalError, ProgrammingError, connection

from evalsite import __version__
from judging.engine import EngineError, LoadFailed, Unavailable
from judging.exceptions import Refused
from judging.formats import InvalidFile
from judging.models import Run

BAD_INPUT_STATUS = 2
RETRY_ADVICE = "Run the same command again once the database is back. Stored answers are kept."


class EvenhandCommand(BaseCommand, ABC):
    """A command with exit status 0 for done, 2 for bad input and 1 for anything else.

    Subclasses implement `run(options)`, whose result `--json` prints, and `show(result)`, which prints it for people.
    """

    requires_system_checks = ()  # they load every page, half a second each time; `manage.py check` runs them

    def get_version(self) -> str:
        return __version__

    def add_json_argument(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print exactly one JSON document")

    @abstractmethod
    def run(self, options: dict[str, Any]) -> object: ...

    @abstractmethod
    def show(self, result: Any) -> None: ...  # noqa: ANN401 - the result of run()

    def json_of(self, result: Any) -> object:  # noqa: ANN401 - whatever run() returned
        """The result as JSON values."""
        return result

    def note(self, line: str) -> None:
        """Print progress or a warning on standard error."""
        self.stderr.write(line, self.style.NOTICE)

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ANN401 - Django's signature
        try:
            result = self.run(options)
        except Unavailable as unavailable:  # the input may be good, so the status is 1
            raise CommandError(str(unavailable)) from unavailable
        except (Refused, InvalidFile, LoadFailed) as refusal:
            for problem in getattr(refusal, "problems", [str(refusal)]):
                self.stderr.write(str(problem))
            sys.exit(BAD_INPUT_STATUS)
        except EngineError as failure:
            raise CommandError(str(failure)) from failure
        except (OperationalError, InterfaceError, ProgrammingError) as error:
            if advice := _advise_on_database_error(error):
                raise CommandError(advice) from error
            raise
        if options.get("json"):
            self.stdout.write(json.dumps(self.json_of(result), allow_nan=False, ensure_ascii=False))
        else:
            self.show(result)


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
