"""Report rows as tables: CSV with a column for every figure, LaTeX for a paper, lines for a terminal."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from io import StringIO
from typing import Any

from judging.formats.spreadsheet_formulas import escape_cell
from rankings.report.hold_out import held_out_rows
from rankings.report.trust_checks import warnings

Row = Mapping[str, Any]

NAMES = {"judge": "Judge", "prompt": "Prompt", "attribute": "Attribute", "subset": "Subset"}
FIGURES = {"accuracy": "Accuracy", "p_first": "P(first)", "order_agreement": "Same in both orders"}
COUNTS = ("Answers", "Decided")
MEANINGS = (
    "decided: those of the answers on which people prefer one candidate, whose accuracy this is; rho: Spearman's "
    "correlation with people per context, mean over contexts; in brackets: 95 % intervals over contexts"
)
RANKINGS = {"win-ratio": "win ratio", "average-probability": "avg. prob.", "poe-bt": "PoE-BT", "score": "score"}
SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"{\char34}",
    "[": "{[}",
    "*": "{*}",
} | {character: f"\\{character}" for character in "&%$#_{}"}


def csv_text(rows: Sequence[Row]) -> str:
    """One line a row, one column a figure (`accuracy.low`), full precision; what does not exist is empty."""
    flat = [dict(_flat(row)) for row in rows]
    columns = list(dict.fromkeys(column for row in flat for column in row))
    text = StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows({column: escape_cell(value) for column, value in row.items()} for row in flat)
    return text.getvalue()


def latex_table(rows: Sequence[Row]) -> str:
    """A booktabs table. Figures have three decimals, and their intervals; what does not exist is a dash.

    Trust checks that failed, and what adaptive runs hold out, are comments below the first line.
    """
    rankings = _rankings_of(rows)
    titles = [*NAMES.values(), *COUNTS, *FIGURES.values(), *(f"$\\rho$ {title}" for title in rankings.values())]
    body = [[*(_escaped(row[name]) for name in NAMES), *_counts(row), *_figures(row, rankings)] for row in rows]
    lines = [
        f"% \\usepackage{{booktabs}}; {MEANINGS}",
        *(f"% {' '.join(line.split())}" for line in _notes(rows)),
        f"\\begin{{tabular}}{{{'l' * len(NAMES)}{'r' * (len(titles) - len(NAMES))}}}",
        "\\toprule",
        f"{' & '.join(titles)} \\\\",
        "\\midrule",
        *(f"{' & '.join(cells)} \\\\" for cells in body),
        "\\bottomrule",
        "\\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def text_table(rows: Sequence[Row]) -> str:
    """The figures of the LaTeX table, in columns, and below them its comments."""
    rankings = _rankings_of(rows)
    titles = ["Run", *NAMES.values(), *COUNTS, *FIGURES.values(), *(f"rho {title}" for title in rankings.values())]
    named = [[f"{row['run']}", *(row[name] for name in NAMES), *_counts(row)] for row in rows]
    figures = [[cell.replace("--", "-") for cell in _figures(row, rankings)] for row in rows]
    table = aligned([titles, *(name + cells for name, cells in zip(named, figures, strict=True))])
    notes = "".join(f"{line}\n" for line in _notes(rows))
    return f"{table}\n{notes}" if notes else table


def manner(row: Row) -> str:
    """How a run was asked beside method and prompt, to be read after them; empty where as usual."""
    told = []
    if sampled := row.get("sampled"):
        samples = f"{sampled['samples']} samples at " if sampled["samples"] else ""
        told.append(f"{samples}temperature {sampled['temperature']:g}")
    if own_metrics := row.get("own_metrics"):
        told.append(f"after {own_metrics}")
    return "".join(f", {one}" for one in told)


def aligned(lines: Sequence[Sequence[str]]) -> str:
    """Cells in columns that are as wide as their widest cell."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    padded = ("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines)
    return "".join(f"{line.rstrip()}\n" for line in padded)


def _notes(rows: Sequence[Row]) -> list[str]:
    manners = {row["run"]: manner(row) for row in rows if manner(row)}
    asked = [f"run {run}: asked with {told.removeprefix(', ')}" for run, told in manners.items()]
    return [*asked, *warnings(rows), *map(_hold_out_note, held_out_rows(rows))]


def _hold_out_note(row: Row) -> str:
    """What of an adaptive run can be set beside the figures of others."""
    figures = (f"{title} {_with_interval(row['hold_out'][name])}" for name, title in FIGURES.items())
    told = f"run {row['run']}: its pairs are chosen by the answers; of {row['hold_out']['comparisons']} drawn at random"
    return f"{told}: {', '.join(figures)}".replace("--", "-")


def _flat(value: Row, path: str = "") -> Iterator[tuple[str, object]]:
    """Paths and what lies there. Each record of a list has its own, by its check or number; names are in one cell."""
    for key, inner in value.items():
        if isinstance(inner, list) and all(isinstance(entry, Mapping) for entry in inner):
            yield from _flat({entry.get("check", f"{at}"): entry for at, entry in enumerate(inner, 1)}, f"{path}{key}.")
        elif isinstance(inner, list):
            yield f"{path}{key}", "; ".join(inner)
        elif isinstance(inner, Mapping):
            yield from _flat(inner, f"{path}{key}.")
        else:
            yield f"{path}{key}", inner


def _rankings_of(rows: Sequence[Row]) -> dict[str, str]:
    """Those of the table's rankings that some row has."""
    there = {ranking for row in rows for ranking in row["spearman"]}
    return {ranking: title for ranking, title in RANKINGS.items() if ranking in there}


def _counts(row: Row) -> list[str]:
    return [f"{row['comparisons']}", f"{row['accuracy']['n']}"]


def _figures(row: Row, rankings: Mapping[str, str]) -> list[str]:
    blocks = (row["spearman"].get(ranking, {}).get("raw", {}) for ranking in rankings)
    return [*(_with_interval(row[name]) for name in FIGURES), *map(_mean_over_contexts, blocks)]


def _mean_over_contexts(block: Row) -> str:
    """Of a ranking that the row has; empty blocks are of others."""
    names = {"value": "per_context", "low": "per_context_low", "high": "per_context_high"}
    return _with_interval({field: block.get(name) for field, name in names.items()})


def _with_interval(figure: Row) -> str:
    low, high = figure.get("low"), figure.get("high")
    if low is None or high is None:
        return _number(figure["value"])
    return f"{_number(figure['value'])} [{_number(low)}, {_number(high)}]"


def _number(value: float | None) -> str:
    return "--" if value is None else f"{value:.3f}"


def _escaped(text: str) -> str:
    """A text that LaTeX prints as it is: it reads [ and * at the start of a line, and joins two hyphens to a dash."""
    return "".join(SPECIAL.get(character, character) for character in text).replace("--", "-{-}")
