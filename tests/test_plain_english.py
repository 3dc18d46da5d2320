"""Rules of wording that a machine can keep."""

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("evalsite", "evenhand", "judging", "rankings")
RIDDLES = ("what ", "of ", "that of ", "those ", "whether ", "so many ", "such ", "as ")
# Programs of other people, which know nothing of the server, read these from the client
OF_CLIENTS = {"Refused", "Row", "Rows"}
# Django, Celery and scripts fix these names; a type variable has no meaning of its own
FREE_NAMES = {"ANALYSIS", "Command", "app_name", "logger", "main", "register", "urlpatterns", "P", "T"}


@cache
def read(folder):
    """Return the riddles among the docstrings of a folder, and its public names: file -> names."""
    riddles, names = [], {}
    for path in sorted((ROOT / folder).rglob("*.py")):
        if "migrations" not in path.parts:
            file, module = str(path.relative_to(ROOT)), ast.parse(path.read_text())
            riddles += [f"{file}:{getattr(node, 'lineno', 1)}" for node in ast.walk(module) if is_riddle(node)]
            names[file] = set(public_names(module))
    return riddles, names


def is_riddle(node):
    documented = ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef
    return isinstance(node, documented) and (ast.get_docstring(node) or "").lower().startswith(RIDDLES)


def public_names(module):
    for node in module.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", node)]
        names = [getattr(target, "id", getattr(target, "name", "_")) for target in targets]
        yield from (name for name in names if isinstance(name, str) and not name.startswith("_"))


@pytest.mark.parametrize("folder", [*PACKAGES, "benchmarks", "tests"])
def test_docstrings_begin_with_a_subject_or_a_verb(folder):
    riddles, _ = read(folder)

    assert riddles == []


def test_public_name_is_defined_in_one_module():
    homes = defaultdict(list)
    for file, names in (one for folder in PACKAGES for one in read(folder)[1].items()):
        for name in names - FREE_NAMES - (OF_CLIENTS if file == "evenhand/connection.py" else set()):
            homes[name].append(file)

    assert {name: files for name, files in homes.items() if len(files) > 1} == {}


# Wordings at which readers stumbled. Each has a plain one instead.
RETIRED = re.compile(
    r"told apart|in no figure|there already\b|into the judge's mouth|every two raters|may call a tie"
    r"|agreement to tell|so many short|what is unparsed|what people said|who leaves|nothing reads|is this meant"
    r"|or leave it so|workers are at other runs|it names it|it misses it|chance alone"
    r"|empty for all of them|made not active|\bof which\b|\banew\b|\bwhoever\b|\bmaybe\b"
)
"""Among small letters: a search that ignores case takes three times as long."""


@pytest.mark.parametrize("folder", [*PACKAGES, "templates", "docs", "static/js"])
def test_retired_wordings_do_not_return(folder):
    texts = [path for suffix in ("py", "html", "md", "js", "json") for path in (ROOT / folder).rglob(f"*.{suffix}")]

    uses = [
        f"{path.relative_to(ROOT)}: {use[0]}"
        for path in sorted(texts)
        for use in RETIRED.finditer(path.read_text(encoding="utf-8").lower())
    ]

    assert texts
    assert uses == []
