"""The base of the commands that print reports."""

from typing import Any

from judging.management.evenhand_command import EvenhandCommand
from rankings.report.report_json import as_json


class ReportCommand(EvenhandCommand):
    """A command whose `run` returns a report: dataclasses, which `--json` prints as JSON."""

    def json_of(self, result: Any) -> object:  # noqa: ANN401 - whatever run() returned
        return as_json(result)
