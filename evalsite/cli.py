"""Entry point of `manage.py` and of the console script `evenhand`."""

import gc
import os
import sys

from django.core.management import execute_from_command_line

from evalsite import __version__

OBJECTS_BETWEEN_COLLECTIONS = 50_000
"""Python's own 700 has it look through all that is imported, which stays, several times before a command begins."""


def main() -> None:
    """Run the command named on the command line. Without one, `--version` prints the version of Evenhand."""
    if sys.argv[1:] in (["--version"], ["version"]):
        sys.stdout.write(f"{__version__}\n")
        return
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalsite.settings")
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    try:
        execute_from_command_line(sys.argv)
    finally:
        gc.freeze()  # the process is about to end, and would look for garbage in all that it leaves
