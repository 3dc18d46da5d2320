"""Entry point of `manage.py` and of the console script `evenhand`."""

import gc
import json
import os
import sys
from difflib import get_close_matches
from typing import NoReturn

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import BaseCommand, ManagementUtility, get_commands
from django.core.management.color import color_style

from evalsite import __version__
from evalsite.command_list import COMMANDS
from evalsite.memory import use_memory_well

BAD_INPUT_STATUS = 2
INTERRUPTED_STATUS = 130  # as shells give it after Ctrl-C


class EvenhandUtility(ManagementUtility):
    """Django's command line, whose help lists only Evenhand's commands."""

    def main_help_text(self, commands_only: bool = False) -> str:
        """Return the list of commands. commands_only: the bare names of all commands, Django's included."""
        if commands_only:
            return super().main_help_text(commands_only=True)
        lines = [f"usage: {self.prog_name} COMMAND [OPTION]…"]
        for group, commands in COMMANDS.items():
            lines += ["", color_style().MIGRATE_HEADING(group)]
            lines += [f"  {name:<20}{summary}" for name, summary in commands.items()]
        return "\n".join(
            [
                *lines,
                "",
                f"Options and examples of a command: {self.prog_name} COMMAND --help",
                f"Django's own commands, such as migrate and createsuperuser: {self.prog_name} help --commands",
            ]
        )

    def fetch_command(self, subcommand: str) -> BaseCommand:
        """Return the command of this name. End the program with a suggestion if there is none."""
        settings.INSTALLED_APPS  # noqa: B018 - raises ImproperlyConfigured for wrong settings
        known = get_commands()
        if subcommand not in known:
            similar = get_close_matches(subcommand, known, n=1)
            advice = f"did you mean {similar[0]}?" if similar else f"{self.prog_name} --help lists the commands"
            fail(f'there is no command "{subcommand}"; {advice}')
        command = super().fetch_command(subcommand)
        gc.freeze()  # what was imported stays to the end, so that no search for garbage need visit it
        gc.enable()
        return command


def main() -> None:
    """Run the command named on the command line. Without one, `--version` prints the version of Evenhand."""
    if sys.argv[1:] in (["--version"], ["version"]):
        sys.stdout.write(f"{__version__}\n")
        return
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalsite.settings")
    if not sys.stderr.isatty():
        os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")  # also for the weights that transformers loads
    use_memory_well()
    gc.disable()  # until everything is imported
    try:
        EvenhandUtility(sys.argv).execute()
        sys.stdout.flush()
    except ImproperlyConfigured as error:
        fail(f"setting {error}")
    except BrokenPipeError:  # the reader has ended, such as `head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED_STATUS)
    finally:
        gc.freeze()  # the process is about to end; a search for garbage would be wasted


def fail(problem: str) -> NoReturn:
    """Print a problem of the command line or the settings, with `--json` as JSON too, and end the program."""
    sys.stderr.write(f"{color_style().ERROR(problem)}\n")
    if "--json" in sys.argv:
        sys.stdout.write(failure_json([problem], status=BAD_INPUT_STATUS))
    sys.exit(BAD_INPUT_STATUS)


def failure_json(problems: list[str], *, status: int) -> str:
    """Return the JSON document of a command that failed."""
    return json.dumps({"status": status, "problems": problems}, ensure_ascii=False) + "\n"
