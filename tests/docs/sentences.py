"""Sentences of the documentation and their lengths in words, without code, tables, links' addresses and headings.

`python -m tests.docs.sentences` prints the share of short sentences of each page, and the long sentences.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.docs_site import ROOT

LONG = 28  # words
NOT_PROSE = re.compile(r"^```[^\n]*\n.*?^```|^\|[^\n]*$|^#[^\n]*$|^!\[[^\n]*$", re.DOTALL | re.MULTILINE)
END_OF_SENTENCE = re.compile(r"(?<=[.!?])[\"”)*_]*\s+(?=[\"“(*_\[`A-Z0-9])|\n\s*\n|\n\s*(?:[-*]|\d+\.)\s+")


def pages() -> list[Path]:
    """Return the pages for users, and the README."""
    docs = ROOT / "docs"
    return [ROOT / "README.md", *(page for page in sorted(docs.rglob("*.md")) if not is_internal(page))]


def is_internal(page: Path) -> bool:
    """Return True for pages that users do not read as prose."""
    return page.parent.name in ("decisions", "internals") or page.name == "references.md"


def sentences(page: Path) -> Iterator[str]:
    """Yield the sentences of a page."""
    text = NOT_PROSE.sub("\n\n", page.read_text(encoding="utf-8"))
    text = re.sub(r"\]\([^)]*\)", "]", text)
    for sentence in END_OF_SENTENCE.split(text):
        if length_of(sentence):
            yield " ".join(sentence.split())


def length_of(sentence: str) -> int:
    """Return the number of words."""
    return len(re.findall(r"[\w’'`.-]*\w[\w’'`.-]*", sentence))


def sentence_lengths(page: Path) -> Iterator[int]:
    """Yield the number of words of each sentence."""
    return map(length_of, sentences(page))


def share_of_short(lengths: list[int]) -> float:
    """Return the share of sentences with fewer than LONG words."""
    return sum(length < LONG for length in lengths) / len(lengths)


if __name__ == "__main__":
    everything: list[int] = []
    for page in pages():
        lengths = list(sentence_lengths(page))
        everything += lengths
        sys.stdout.write(f"{share_of_short(lengths):6.1%} of {len(lengths):4} {page.relative_to(ROOT)}\n")
        for sentence in sentences(page):
            if length_of(sentence) >= LONG:
                sys.stdout.write(f"       {length_of(sentence):3} words: {sentence}\n")
    longest = sorted(everything)[len(everything) * 9 // 10]
    sys.stdout.write(f"{share_of_short(everything):6.1%} of {len(everything)}; 90 % have at most {longest} words\n")
