"""Log lines, as text or JSON, with the numbers of the request, the user and the run that they are about."""

from __future__ import annotations

import json
import logging
from contextvars import ContextVar
from datetime import UTC, datetime

_numbers: ContextVar[dict[str, object] | None] = ContextVar("numbers", default=None)


def number_lines(**numbers: object) -> None:
    """Give these numbers to all lines that this thread logs from now on, in place of the numbers so far."""
    _numbers.set(numbers)


def add_numbers(**numbers: object) -> None:
    """Give these numbers too."""
    _numbers.set((_numbers.get() or {}) | numbers)


class AsLine(logging.Formatter):
    """Text: time, level, logger, message, and in brackets the numbers."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        numbers = " ".join(f"{name}={number}" for name, number in (_numbers.get() or {}).items())
        return super().formatMessage(record) + (f" [{numbers}]" if numbers else "")


class AsJson(logging.Formatter):
    """One JSON object a line, with the traceback under `exception`."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        } | (_numbers.get() or {})
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)
