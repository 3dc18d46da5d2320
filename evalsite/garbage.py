"""How often Python searches for garbage."""

import gc

OBJECTS_BETWEEN_COLLECTIONS = 50_000


def collect_rarely() -> None:
    """Let Python search for unreachable objects after 50,000 new ones, not after 700.

    Each search visits all imported objects. It takes a tenth of the time of a report, and of the start of a command.
    """
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
