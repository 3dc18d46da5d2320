"""BibTeX entries by key, and a paragraph with citations by author and year, with its list of references."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import ascii_lowercase

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


FIELD = re.compile(r"^  (\w+) = \{(.*)\},?$", re.MULTILINE)
ACCENTED_LETTER = re.compile(r"\{\\(['`])(\w)\}")
COMBINING = {"'": "\N{COMBINING ACUTE ACCENT}", "`": "\N{COMBINING GRAVE ACCENT}"}
OTHERS = "others"
_PLACES = ("journal", "booktitle", "publisher", "note")
"""Fields that say where a source appeared; an entry has one at most."""


@dataclass(frozen=True, slots=True)
class ReadableText:
    """A paragraph that cites "(Liusie et al., 2024)", and its references in alphabetical order."""

    paragraph: str
    references: Sequence[str]


@dataclass(frozen=True, slots=True)
class Source:
    """An entry of the bibliography in plain characters. names: of its authors; OTHERS for those not named."""

    names: Sequence[str]
    year: str
    rest: str

    @classmethod
    def of(cls, key: str) -> "Source":
        """Read an entry. Raises KeyError for an unknown key."""
        fields = dict(FIELD.findall(bibtex_entries()[key]))
        where = next((fields[name] for name in _PLACES if name in fields), "")
        volume = f" {fields['volume']}" if "volume" in fields else ""
        arxiv = f"arXiv:{fields['eprint']}" if "eprint" in fields else ""
        version = f"Version {fields['version']}" if "version" in fields else ""
        parts = [fields["title"], where + volume, arxiv, version]
        return cls(
            [fields["author"]] if fields["author"].startswith("{") else fields["author"].split(" and "),
            fields["year"],
            " ".join(f"{_plain(part)}." for part in parts if part),
        )

    @property
    def short_names(self) -> str:
        """Return the authors as a citation names them: "Lin", "Bradley and Terry" or "Liusie et al."."""
        first, *more = map(_family_name, self.names)
        if not more:
            return first
        return f"{first} and {more[0]}" if len(more) == 1 and OTHERS not in self.names else f"{first} et al."

    def reference(self, year: str) -> str:
        """Write the line of the list. year: with a letter where other sources have the same authors and year."""
        named = [_plain(name) for name in self.names if name != OTHERS]
        if OTHERS in self.names:
            authors = f"{', '.join(named)} et al."
        else:
            authors = f"{', '.join(named[:-1])} and {named[-1]}" if len(named) > 1 else named[0]
        return f"{authors} ({year}). {self.rest}"


def readable_text(paragraph: str) -> ReadableText:
    """Replace citations such as [@Liusie2024; @Lin2004]. Raises KeyError for an unknown source."""
    keys = dict.fromkeys(key for group in CITATION.findall(paragraph) for key in group.split("; @"))
    sources = {key: Source.of(key) for key in keys}
    years = _years(sources)
    cited = CITATION.sub(
        lambda match: f"({'; '.join(f'{sources[key].short_names}, {years[key]}' for key in match[1].split('; @'))})",
        paragraph,
    )
    in_order = sorted(sources, key=lambda key: (_family_name(sources[key].names[0]).casefold(), years[key]))
    return ReadableText(cited, [sources[key].reference(years[key]) for key in in_order])


def _years(sources: Mapping[str, Source]) -> dict[str, str]:
    """Return key -> year, with a letter where a citation would name two sources alike."""
    alike: dict[tuple[str, str], list[str]] = {}
    for key, source in sources.items():
        alike.setdefault((source.short_names, source.year), []).append(key)
    return {
        key: f"{year}{ascii_lowercase[place]}" if len(keys) > 1 else year
        for (_, year), keys in alike.items()
        for place, key in enumerate(keys)
    }


def _family_name(name: str) -> str:
    return _plain(name) if name.startswith("{") else _plain(name).rpartition(" ")[2]


def _plain(text: str) -> str:
    """Write BibTeX's text in plain characters: accents as letters, no braces."""
    accented = ACCENTED_LETTER.sub(lambda match: unicodedata.normalize("NFC", match[2] + COMBINING[match[1]]), text)
    return accented.replace("{", "").replace("}", "")
