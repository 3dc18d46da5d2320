"""Entry point of `manage.py` and of the console script `evenhand`."""

import os
import sys

from django.core.management import execute_from_command_line


def main() -> None:
    """Run the command named on the command line."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalsite.settings")
    execute_from_command_line(sys.argv)
