"""Options of an operation as its doors take them: texts of a form or an address, arguments of a command."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def texts(value: Any) -> list[str] | str:
    """Return a value as a form or an address has it."""
    if isinstance(value, dict):
        return [f"{name}={one}" if name else str(one) for name, one in value.items()]
    return value if isinstance(value, list) else str(value)


def arguments(options: Mapping[str, Any]) -> Iterator[str]:
    """Yield the options as arguments of a command."""
    for name, value in options.items():
        option = name.replace("_", "-")
        if isinstance(value, bool):
            yield f"--{option}" if value else f"--no-{option}"
        else:
            for one in texts(value) if isinstance(value, (list, dict)) else [str(value)]:
                yield from (f"--{option}", one)
