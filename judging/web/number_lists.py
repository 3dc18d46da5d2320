"""Lists of numbers in addresses: `12,13`."""

from __future__ import annotations

from collections.abc import Sequence


class NumberListConverter:
    """Reads and writes up to 500 ids, separated by commas."""

    regex = r"[0-9]{1,18}(?:,[0-9]{1,18}){0,499}"  # every database takes numbers of 18 digits

    def to_python(self, value: str) -> list[int]:
        return [int(number) for number in value.split(",")]

    def to_url(self, value: Sequence[int]) -> str:
        return ",".join(map(str, value))
