"""Set how the threads of one operation wait for each other."""

from __future__ import annotations

import os


def sleep_while_waiting() -> None:
    """Let threads sleep while they wait, not spin, unless the user set OMP_WAIT_POLICY.

    Spinning is a little faster on an idle machine. With a web server or another worker on it, spinning threads keep
    the processors from the threads they wait for. torch reads the variable when it is loaded, so call this before.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
