"""Tables and lists of the pages, built from what the program itself reads: each fact is written once."""

import ast
import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from unicodedata import normalize

ROOT = Path(__file__).resolve().parent.parent
DIALECTS = ROOT / "evenhand/engine/endpoint/dialects"
SCHEMA = ROOT / "docs/reference/openapi.json"
SOURCES = ROOT / "rankings/citations/references.bib"
STEERING_TEXTS = ROOT / "rankings/steering_patterns/pattern_list.py"

ENTRY = re.compile(r"^@\w+\{(\w+),$(.*?)^\}$", re.MULTILINE | re.DOTALL)
FIELD = re.compile(r"^  (\w+) = \{(.*)\},?$", re.MULTILINE)
PLACES = ("journal", "booktitle", "publisher", "note", "eprint")
ACCENTS = {"'": "\N{COMBINING ACUTE ACCENT}", "`": "\N{COMBINING GRAVE ACCENT}"}
OF_OTHERS = ("Evenhand", "Paszke2019", "Wolf2020")  # cited by methods paragraphs only


def literature() -> str:
    """Return the sources of the bibliography, one line each, by key."""
    entries = dict(ENTRY.findall(SOURCES.read_text(encoding="utf-8")))
    return "\n".join(f"- [{key}] {_source(entries[key])}" for key in sorted(entries) if key not in OF_OTHERS)


def _source(entry: str) -> str:
    """Return authors, title, place and year."""
    fields = {name: _plain(text) for name, text in FIELD.findall(entry)}
    place = next((fields[name] for name in PLACES if name in fields), "")
    volume = f" {fields['volume']}" if "volume" in fields else ""
    authors = fields["author"].replace(" and ", ", ")
    return f"{authors}. {fields['title']}. {place}{volume}{', ' * bool(place)}{fields['year']}."


def _plain(text: str) -> str:
    """Return LaTeX as plain text."""
    accented = re.sub(r"\{\\(['`])(\w)\}", lambda match: match[2] + ACCENTS[match[1]], text)
    return normalize("NFC", re.sub(r"[{}]", "", accented))


def addresses() -> str:
    """Return a table of the addresses of the API for each noun."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    nouns: dict[str, list[Sequence[str]]] = {}
    for address, methods in schema["paths"].items():
        for method, operation in methods.items():
            row = (f"`{method.upper()} {address.removeprefix('/api/')}`", _first_line(operation))
            nouns.setdefault(operation["tags"][0], []).append(row)
    return "\n".join(f"\n### {noun}\n\n{_table(('address', 'what it does'), nouns[noun])}" for noun in sorted(nouns))


def _first_line(operation: Mapping[str, Any]) -> str:
    return str(operation.get("description") or "").partition("\n")[0]


def dialects() -> str:
    """Return the table of the dialects of endpoints."""
    files = sorted(DIALECTS.glob("*.toml"))
    return _table(COLUMNS, [_dialect(file.stem, tomllib.loads(file.read_text(encoding="utf-8"))) for file in files])


def _dialect(name: str, fields: Mapping[str, Any]) -> Sequence[str]:
    switches = (_names(key for one in fields.get(f"thinking_{way}", ()) for key in one) for way in ("off", "on"))
    forced = _names(next(iter(one)) for one in fields.get("forced_choice", ()))
    known = [f"{title} {_names(fields[key])}" for key, title in RECOGNISED.items() if key in fields]
    amounts = (_names([fields[key]] if key in fields else []) for key in ("effort", "budget"))
    return (f"`{name}`", ", ".join(known) or "all others", _names(fields["token_limit"]), *switches, *amounts, forced)


COLUMNS = ("dialect", "known by", "token limit", "thinking off", "thinking on", "effort", "budget", "forced choice")
RECOGNISED = {"hosts": "host", "models": "models", "owned_by": "owner"}


def _names(names: Sequence[str] | Iterator[str]) -> str:
    return ", ".join(f"`{name}`" for name in dict.fromkeys(names))


def steering_patterns() -> str:
    """Return the table of the patterns of steering texts. The file is read without running it."""
    calls = [node for node in ast.walk(ast.parse(STEERING_TEXTS.read_text(encoding="utf-8"))) if _is_pattern(node)]
    rows = [_pattern(*(ast.literal_eval(call.args[place]) for place in (0, 1, 5))) for call in calls]
    return _table(("pattern", "kind", "matches, for example"), rows)


def _pattern(name: str, kind: str, example: str) -> Sequence[str]:
    return (f"`{name}`", kind, f"`{' '.join(example.split())}`")


def _is_pattern(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == "SteeringPattern"


def _table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [names, ["---"] * len(names), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"


BUILT = {
    "reference/api/": addresses,
    "reference/endpoints/": dialects,
    "reference/references/": literature,
    "reference/steering/": steering_patterns,
}
"""Page -> the part that stands in place of the line `{{ built }}`."""
