"""BibTeX entries by key. references.bib has them, and all that docs and docstrings cite."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from evalsite import __version__

FILE = Path(__file__).with_name("references.bib")
EVENHAND = "Evenhand"
CITATION = re.compile(r"\[@(\w+(?:; @\w+)*)\]")
"""A citation as Pandoc reads it, such as [@Liusie2024; @Lin2004]."""


@cache
def bibtex_entries() -> Mapping[str, str]:
    """Return key -> entry."""
    text = FILE.read_text(encoding="utf-8").replace("{VERSION}", f"{{{__version__}}}")
    return {match[1]: match[0] for match in re.finditer(r"^@\w+\{(\w+),$.*?^\}$", text, re.MULTILINE | re.DOTALL)}


def bibtex_of(keys: Iterable[str]) -> str:
    """Return the entries of some keys, each once, in their order. Raises KeyError for an unknown key."""
    return "\n\n".join(bibtex_entries()[key] for key in dict.fromkeys(keys)) + "\n"
