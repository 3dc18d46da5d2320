"""The help of the commands, for their page of the documentation."""

import re
from functools import cache, partial
from html import escape

from django.core.management import ManagementUtility

HELP_WIDTH = 80  # characters in a line of help
COLOUR = re.compile(r"\x1b\[[\d;]*m")  # a server that was started in a terminal prints colours
PLACE = re.compile(r'(<code data-command="(\w+)">).*?(?=</code>)', re.DOTALL)


def with_help(page: str) -> str:
    """Return a built page with the help of each command at its place. docs/site_hooks.py makes the places."""
    return PLACE.sub(lambda place: place[1] + escape(command_help(place[2])), page)


@cache
def command_help(name: str) -> str:
    """Return what `evenhand NAME --help` prints, without colours."""
    parser = ManagementUtility(["evenhand"]).fetch_command(name).create_parser("evenhand", name)
    parser.formatter_class = partial(parser.formatter_class, width=HELP_WIDTH)  # type: ignore[call-arg]
    return COLOUR.sub("", parser.format_help())
