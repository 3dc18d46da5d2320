"""The files and folders of the repository that the documentation names exist."""

import re

from tests.docs_site import ROOT

FOLDERS = ("benchmarks", "bin", "docs", "evalsite", "evenhand", "judging", "rankings", "static", "templates", "tests")
PATH = re.compile(rf"`((?:{'|'.join(FOLDERS)})/[\w./*{{}},-]*)`")
BRACES = re.compile(r"\{([^{}]*)\}")


def named_paths(text):
    """Yield the paths of the repository in backticks; of `a/{b,c}`, both."""
    for path in PATH.findall(text):
        braces = BRACES.search(path)
        yield from (BRACES.sub(name, path, count=1) for name in braces[1].split(",")) if braces else [path]


def test_paths_in_backticks_exist():
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]

    named = {(page, path) for page in pages for path in named_paths(page.read_text(encoding="utf-8"))}
    missing = [f"{page.relative_to(ROOT)}: {path}" for page, path in named if not any(ROOT.glob(path.rstrip("/")))]

    assert len(named) > 100
    assert sorted(missing) == []
