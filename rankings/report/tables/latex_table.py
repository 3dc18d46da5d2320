"""`latex_table`: report rows as a booktabs table for a paper. Its columns are in table_columns.py."""

from __future__ import annotations

from collections.abc import Sequence

from rankings.report.report_row import ReportRow
from rankings.report.tables.table_columns import COUNTS, NAMES, counts, figures, headings, names, notes, rankings_of

MEANINGS = (
    "decided: those of the answers on which people prefer one candidate, whose accuracy this is; rho: Spearman's "
    "correlation with people per context, mean over contexts; in brackets: 95 % intervals over contexts"
)
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


def latex_table(rows: Sequence[ReportRow]) -> str:
    """Return a booktabs table. Figures have three decimals and their intervals; an undefined figure is a dash.

    Failed trust checks and held-out figures of adaptive runs are comments below the first line.
    """
    rankings = rankings_of(rows)
    titles = [*NAMES, *COUNTS, *headings(), *(f"$\\rho$ {title}" for title in rankings.values())]
    body = [[*map(_escaped, names(row)), *counts(row), *figures(row, rankings)] for row in rows]
    lines = [
        f"% \\usepackage{{booktabs}}; {MEANINGS}",
        *(f"% {' '.join(line.split())}" for line in notes(rows)),
        f"\\begin{{tabular}}{{{'l' * len(NAMES)}{'r' * (len(titles) - len(NAMES))}}}",
        "\\toprule",
        f"{' & '.join(titles)} \\\\",
        "\\midrule",
        *(f"{' & '.join(cells)} \\\\" for cells in body),
        "\\bottomrule",
        "\\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    """Escape a text for LaTeX, which also reads [ and * at the start of a line, and joins two hyphens to a dash."""
    return "".join(SPECIAL.get(character, character) for character in text).replace("--", "-{-}")
