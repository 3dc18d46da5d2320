"""What all commands share: exit statuses, one JSON document, problems on standard error."""

import json
import sys
from abc import ABC, abstractmethod
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import InterfaceError, OperationalError, ProgrammingError, connection

from judging.engine import EngineError, LoadFailed, Unavailable
from judging.exceptions import Refused
from judging.formats import InvalidFile
from judging.models import Run

BAD_INPUT = 2
ONCE_IT_IS_BACK = "Once it is back, give the same command again: what is stored stays."


class EvenhandCommand(BaseCommand, ABC):
    """A command of INTERFACE: status 0 done, 2 the input is bad, 1 anything else.

    Subclasses write `run(options)`, which returns what `--json` prints, and `show(result)`, which prints it for people.
    """

    requires_system_checks = ()  # they load every page, half a second each time; `manage.py check` runs them

    def add_json_argument(self, parser: CommandParser) -> None:
        parser.add_argument("--json", action="store_true", help="print exactly one JSON document")

    @abstractmethod
    def run(self, options: dict[str, Any]) -> object: ...

    @abstractmethod
    def show(self, result: Any) -> None: ...  # noqa: ANN401 - whatever run() returned

    def json_of(self, result: Any) -> object:  # noqa: ANN401 - whatever run() returned
        """The result as JSON values."""
        return result

    def note(self, line: str) -> None:
        """Progress and warnings, on standard error."""
        self.stderr.write(line, self.style.NOTICE)

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ANN401 - Django's signature
        try:
            result = self.run(options)
        except Unavailable as unavailable:  # the input may well be good
            raise CommandError(str(unavailable)) from unavailable
        except (Refused, InvalidFile, LoadFailed) as refusal:
            for problem in getattr(refusal, "problems", [str(refusal)]):
                self.stderr.write(str(problem))
            sys.exit(BAD_INPUT)
        except EngineError as failure:
            raise CommandError(str(failure)) from failure
        except (OperationalError, InterfaceError, ProgrammingError) as error:
            if trouble := trouble_with_the_database(error):
                raise CommandError(trouble) from error
            raise
        if options.get("json"):
            self.stdout.write(json.dumps(self.json_of(result), allow_nan=False, ensure_ascii=False))
        else:
            self.show(result)


def trouble_with_the_database(error: Exception) -> str:
    """What is to be done about it; empty where the database is there, so that it is no trouble of the database's."""
    try:
        tables = connection.introspection.table_names()
    except (OperationalError, InterfaceError):
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        return f"the database cannot be reached: {reason}\n{ONCE_IT_IS_BACK}"
    if Run._meta.db_table not in tables:
        return "the database has no tables yet; run `python manage.py migrate` first"
    return ""
