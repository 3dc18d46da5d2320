"""What can go wrong when something is asked of judging."""

from collections.abc import Sequence


class Refused(Exception):
    """The input is bad: nothing was stored. `problems` has one line each: where, the value, what to do."""

    def __init__(self, *problems: str) -> None:
        self.problems: Sequence[str] = problems
        super().__init__("\n".join(problems))
