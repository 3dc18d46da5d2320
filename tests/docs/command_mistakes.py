"""The page docs/reference/messages.md: common mistakes on the command line, with the messages of the real program.

`python -m tests.docs.command_mistakes` writes it again.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.docs.shown_commands import DOCS
from tests.docs_site import ROOT

PAGE = DOCS / "reference" / "messages.md"
LONG_LIST = re.compile(r"((?:[\w-]+, ){3})(?:[\w-]+, ){3,}[\w-]+")
PROGRAM = """
import json, os, pathlib, sys
import django
from evalsite.cli import main
django.setup()
from django.core.management import call_command
from django.db import connection
from judging.services.demo import prepare_demo
call_command("migrate", verbosity=0)
prepare_demo(data=pathlib.Path(os.environ["EVENHAND_DATA"]))
connection.close()
for number, words in enumerate(json.load(sys.stdin)):
    if (child := os.fork()) == 0:
        os.dup2(os.open(f"{number}.err", os.O_CREAT | os.O_WRONLY), 2)
        sys.argv = ["evenhand", *words]
        sys.exit(main())
    pathlib.Path(f"{number}.status").write_text(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])))
"""
"""Loads the program and the sample once, then runs each command in a process of its own."""
INTRODUCTION = """# Messages of the commands

Common mistakes on the command line, and the message of each. The program prints messages on standard error and ends
with status 2 for bad input. It stores nothing in that case. With `--json` it prints the messages as JSON too.

These messages come from the real program, in a folder with the sample dataset and the files below. Long lists are
shortened.
"""
SCORES = """context,context_text,candidate,text,coherence
1,An article.,a,Its summary.,4
1,An article.,b,Another summary.,six
"""
VERDICTS = """context,attribute,first,second,p_first
familiar-01,coherence,a,z,0.9
familiar-01,coherence,a,b,1.9
"""
TABLE = """number,article,one,two
1,An article.,A summary.,Another.
"""
FILES = {"scores.csv": SCORES, "verdicts.csv": VERDICTS, "table.csv": TABLE}
MISTAKES = (
    "evenhand jugde --dataset Sample --judge demo",
    "evenhand import_dataset",
    "evenhand import_dataset missing.jsonl --name Mine",
    "evenhand import_dataset scores.csv --name Sample",
    "evenhand import_dataset table.csv --name Mine",
    "evenhand import_dataset table.csv --name Mine --layout wide --map context_text=article --map text:A=three",
    "evenhand import_comparisons verdicts.csv --dataset Sample --judge mine",
    "evenhand judge --dataset Smaple --judge demo",
    "evenhand judge --dataset Sample --judge dmeo",
    "evenhand judge --dataset Sample --judge demo --attribute cohrence",
    "evenhand judge --dataset Sample --judge demo --method comparitive",
    "evenhand judge --dataset Sample --judge demo --selection random",
    "evenhand judge --dataset Sample --judge demo --samples 5",
    "evenhand add_judge gpt --backend openai --model gpt-4o",
    "evenhand add_judge gpt --backend openai --model gpt-4o --base-url http://localhost:9/v1",
    "evenhand add_judge gpt --backend openai --model m --base-url http://localhost:9/v1 --api-key-env SECRET_KEY",
    "evenhand add_judge demo --backend transformers --model google/flan-t5-xl",
    "evenhand report --dataset Sample --run 99",
    "evenhand report --dataset Sample --colum accuracy",
    "evenhand report --dataset Sample --column acuracy",
    "evenhand report --dataset Sample --output table.docx",
    "evenhand scores 1 --ranking elo",
    "evenhand compare 1 2",
    "evenhand curve one",
)
SETTING = "DEBUG=yes evenhand runs"


def messages() -> dict[str, str]:
    """Return the message of each mistake. Raises AssertionError for a line that the program accepts."""
    with tempfile.TemporaryDirectory(prefix="evenhand-mistakes-") as name:
        folder = Path(name)
        for file, text in FILES.items():
            (folder / file).write_text(text, encoding="utf-8")
        environment = {
            **{name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "LANG")},
            "EVENHAND_DATA": str(folder / "data"),
            "PYTHONPATH": str(ROOT),
            "DJANGO_SETTINGS_MODULE": "evalsite.settings",
            "HF_HUB_OFFLINE": "1",
        }
        commands = [shlex.split(line.removeprefix("evenhand ")) for line in MISTAKES]
        program = (sys.executable, "-c", PROGRAM)
        subprocess.run(program, check=True, cwd=folder, env=environment, input=json.dumps(commands), text=True)
        return {line: message_of(line, folder / str(number)) for number, line in enumerate(MISTAKES)} | {
            SETTING: message_of_setting(folder, environment)
        }


def message_of(line: str, run: Path) -> str:
    """Return what the program printed on standard error. Of long lists, only the first names."""
    printed = run.with_suffix(".err").read_text(encoding="utf-8")
    assert run.with_suffix(".status").read_text() == "2", (line, printed)
    return LONG_LIST.sub(r"\1…", printed.strip())


def message_of_setting(folder: Path, environment: Mapping[str, str]) -> str:
    """Return what the program prints on standard error when it starts with a wrong setting."""
    program = "import sys; from evalsite.cli import main; sys.argv = ['evenhand', 'runs']; main()"
    ended = subprocess.run(
        (sys.executable, "-c", program),
        cwd=folder,
        env={**environment, "DEBUG": "yes"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 2, (SETTING, ended.stdout, ended.stderr)
    return ended.stderr.strip()


def page() -> str:
    """Return the page."""
    files = [f'```csv title="{name}"\n{text}```\n' for name, text in FILES.items()]
    mistakes = [f"```text\n$ {line}\n{message}\n```\n" for line, message in messages().items()]
    return "\n".join([INTRODUCTION, *files, *mistakes])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
