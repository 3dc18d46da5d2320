"""Entry point of the console script `evenhand`, which says what to install where only the library is there."""

import sys

NEEDED = ("django", "celery", "rest_framework")
"""Packages of the extra `app` that every command loads."""


def main() -> None:
    """Run the command named on the command line."""
    try:
        from evalsite.cli import main as run_command  # noqa: PLC0415 - needs Django

        run_command()
    except ModuleNotFoundError as missing:
        if missing.name not in NEEDED:
            raise
        sys.exit(
            f"evenhand: {missing.name} is not installed. The commands and the server need the extra `app`: "
            "pip install 'evenhand[app]'. In Python, `import evenhand` works without it."
        )
