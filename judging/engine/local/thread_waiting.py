"""How the threads of one operation wait for each other."""

from __future__ import annotations

import os


def sleep_while_waiting() -> None:
    """Let threads sleep while they wait, not spin, unless the user chose otherwise.

    Spinning is a little faster where nobody else computes; beside a web server, another worker or another user it makes
    each step wait for one that does not run. Read once, when torch is first loaded: has to be called before that.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
