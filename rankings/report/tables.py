"""Report rows as tables: CSV with a column for every figure, LaTeX for a paper, lines for a terminal."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from io import StringIO
from typing import Any

from judging.formats.spreadsheet_formulas import escape_cell
from rankings.numerics import RANKINGS, Figure
from rankings.report.report_json import as_json
from rankings.report.report_row import FIGURES, IN_ORDER, Correlations, HoldOut, ReportRow
from rankings.report.run_figures import SCORE
from rankings.report.trust_checks import warnings

NAMES = ("Judge", "Prompt", "Attribute", "Subset")
COLUMNS = tuple(definition for definition in IN_ORDER if definition.column)
COUNTS = ("Answers", "Decided")
MEANINGS = (
    "decided: those of the answers on which people prefer one candidate, whose accuracy this is; rho: Spearman's "
    "correlation with people per context, mean over contexts; in brackets: 95 % intervals over contexts"
)
RANKING_COLUMNS = {name: ranking.column for name, ranking in RANKINGS.items() if ranking.column} | {SCORE: SCORE}
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


def csv_text(rows: Sequence[ReportRow]) -> str:
    """One line a row, one column a figure (`accuracy.low`), full precision; what does not exist is empty."""
    flat = [dict(_flat(as_json(row))) for row in rows]
    columns = list(dict.fromkeys(column for row in flat for column in row))
    text = StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows({column: escape_cell(value) for column, value in row.items()} for row in flat)
    return text.getvalue()


def latex_table(rows: Sequence[ReportRow]) -> str:
    """A booktabs table. Figures have three decimals, and their intervals; what does not exist is a dash.

    Trust checks that failed, and what adaptive runs hold out, are comments below the first line.
    """
    rankings = _rankings_of(rows)
    titles = [*NAMES, *COUNTS, *_headings(), *(f"$\\rho$ {title}" for title in rankings.values())]
    body = [[*map(_escaped, _names(row)), *_counts(row), *_figures(row, rankings)] for row in rows]
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


def text_table(rows: Sequence[ReportRow]) -> str:
    """The figures of the LaTeX table, in columns, and below them its comments."""
    rankings = _rankings_of(rows)
    titles = ["Run", *NAMES, *COUNTS, *_headings(), *(f"rho {title}" for title in rankings.values())]
    named = [[f"{row.name.run}", *_names(row), *_counts(row)] for row in rows]
    figures = [[cell.replace("--", "-") for cell in _figures(row, rankings)] for row in rows]
    table = aligned([titles, *(name + cells for name, cells in zip(named, figures, strict=True))])
    notes = "".join(f"{line}\n" for line in _notes(rows))
    return f"{table}\n{notes}" if notes else table


def aligned(lines: Sequence[Sequence[str]]) -> str:
    """Cells in columns that are as wide as their widest cell."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    padded = ("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines)
    return "".join(f"{line.rstrip()}\n" for line in padded)


def _headings() -> list[str]:
    return [definition.column for definition in COLUMNS]


def _names(row: ReportRow) -> list[str]:
    return [row.name.judge, row.name.prompt, row.name.attribute, row.subset]


def _notes(rows: Sequence[ReportRow]) -> list[str]:
    settings = {row.name.run: row.name.settings for row in rows if row.name.settings}
    asked = [f"run {run}: asked with {told.removeprefix(', ')}" for run, told in settings.items()]
    adaptive = [_hold_out_note(row, row.hold_out) for row in rows if row.is_whole and row.hold_out]
    return [*asked, *warnings(rows), *adaptive]


def _hold_out_note(row: ReportRow, hold_out: HoldOut) -> str:
    """What of an adaptive run can be set beside the figures of others."""
    titled = {name: FIGURES[name].column for name in ("accuracy", "p_first", "order_agreement")}
    found = {"accuracy": hold_out.accuracy, "p_first": hold_out.p_first, "order_agreement": hold_out.order_agreement}
    figures = (f"{title} {_with_interval(found[name])}" for name, title in titled.items())
    told = f"run {row.name.run}: its pairs are chosen by the answers; of {hold_out.comparisons} drawn at random"
    return f"{told}: {', '.join(figures)}".replace("--", "-")


def _flat(value: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, object]]:
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


def _rankings_of(rows: Sequence[ReportRow]) -> dict[str, str]:
    """Those of the table's rankings that some row has."""
    there = {ranking for row in rows for ranking in row.spearman}
    return {ranking: title for ranking, title in RANKING_COLUMNS.items() if ranking in there}


def _counts(row: ReportRow) -> list[str]:
    return [f"{row.counts.comparisons}", f"{row.accuracy.n}"]


def _figures(row: ReportRow, rankings: Mapping[str, str]) -> list[str]:
    figures = [row.value_of(definition) or Figure(None) for definition in COLUMNS]
    return [*map(_with_interval, figures), *(_mean_over_contexts(row.spearman.get(ranking)) for ranking in rankings)]


def _mean_over_contexts(correlations: Correlations | None) -> str:
    """Of a ranking that the row has; other rankings have a dash."""
    if correlations is None:
        return _number(None)
    block = correlations.raw
    return _with_interval(Figure(block.per_context, block.per_context_low, block.per_context_high))


def _with_interval(figure: Figure) -> str:
    if figure.low is None or figure.high is None:
        return _number(figure.value)
    return f"{_number(figure.value)} [{_number(figure.low)}, {_number(figure.high)}]"


def _number(value: float | None) -> str:
    return "--" if value is None else f"{value:.3f}"


def _escaped(text: str) -> str:
    """A text that LaTeX prints as it is: it reads [ and * at the start of a line, and joins two hyphens to a dash."""
    return "".join(SPECIAL.get(character, character) for character in text).replace("--", "-{-}")
