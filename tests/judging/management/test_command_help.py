"""The help of all commands: the list, options with their defaults, and examples."""

import re
import shlex
import subprocess
import sys
from argparse import BooleanOptionalAction
from pathlib import Path

import pytest

from evalsite.cli import EvenhandUtility
from evalsite.command_list import COMMANDS
from rankings.analyses.record import analyses
from tests.commands import command_named, command_names

ROOT = Path(__file__).resolve().parents[3]
OURS = command_names()


def parser_of(name):
    return command_named(name).create_parser("evenhand", name)


def own_actions(name):
    return [action for action in parser_of(name)._actions if action.dest != "help" and action.help != "==SUPPRESS=="]


def evenhand(*arguments):
    return subprocess.run(
        [sys.executable, "manage.py", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )


def refused_by_main(capsys, *arguments):
    """Return what a command line that is refused prints on standard error."""
    with pytest.raises(SystemExit) as ended:
        EvenhandUtility(["manage.py", *arguments]).execute()
    printed = capsys.readouterr()
    assert (ended.value.code, printed.out) == (2, "")
    return printed.err


def test_the_list_has_every_command_of_ours_once():
    assert sorted(name for commands in COMMANDS.values() for name in commands) == OURS


def test_help_lists_only_our_commands_each_on_one_line_in_its_group():
    done = evenhand("--help")

    lines = done.stdout.splitlines()
    assert (done.returncode, done.stderr) == (0, "")
    assert [line for line in lines if re.fullmatch(r"\w+", line)] == list(COMMANDS)
    assert [line.split()[0] for line in lines if line.startswith("  ")] == [
        name for commands in COMMANDS.values() for name in commands
    ]
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize("name", OURS)
def test_command_has_two_examples_that_its_parser_reads(name):
    command = command_named(name)

    assert len(command.examples) >= 2
    for example in command.examples:
        program, *arguments = shlex.split(example)
        assert program == name
        parser_of(name).parse_args(arguments)
        assert f"  evenhand {example}" in parser_of(name).format_help()


@pytest.mark.parametrize("name", OURS)
def test_every_option_has_a_description_and_its_default(name):
    formatter = parser_of(name)._get_formatter()

    shown = {action.dest: formatter._get_help_string(action) or "" for action in own_actions(name)}

    assert [name for name, text in shown.items() if len(text) < 8] == []
    assert [
        action.dest
        for action in own_actions(name)
        if action.option_strings
        and not isinstance(action, BooleanOptionalAction)
        and not re.search(
            r"\(required\)|default: (?!None|False|\[\]|\)|%\(default\)s\)$)", formatter._expand_help(action)
        )
    ] == []


@pytest.mark.parametrize(("option", "default"), [("seed", "0"), ("debias", "off")])
def test_help_shows_the_default_that_holds(option, default):
    [action] = [action for action in own_actions("curve") if action.dest == option]
    [declared] = [one for one in analyses()["curve"].options if one.name == option]

    assert parser_of("curve")._get_formatter()._expand_help(action).endswith(f"(default: {default})")
    assert str(declared.default) == {"off": "False"}.get(default, default)


def test_command_that_is_misspelt_gets_a_suggestion(capsys):
    assert refused_by_main(capsys, "raport") == 'there is no command "raport"; did you mean report?\n'


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (
            ("report", "--datset", "x", "--dataset", "y"),
            'unrecognized arguments: --datset x (did you mean "--dataset"?); see manage.py report --help',
        ),
        (("report",), "the following arguments are required: --dataset; see manage.py report --help"),
        (("cancel", "seven"), "argument RUN: 'seven' is not a whole number; see manage.py cancel --help"),
    ],
)
def test_wrong_options_are_explained_on_one_line(capsys, arguments, line):
    assert refused_by_main(capsys, *arguments) == f"{line}\n"
