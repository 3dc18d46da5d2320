"""`latex_table`: a table for a paper, ruled by booktabs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rankings.tables.table import (
    FOR_COMPARISON,
    Cell,
    Table,
    TableStyle,
    notes_with_marks,
    printed_cells,
    with_comparison,
)

SPECIAL = (
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"{\char34}",
        "[": "{[}",
        "*": "{*}",
        "±": r"$\pm$",
        "−": "$-$",
        "\u202f": r"\,",
        "†": r"$^\dagger$",
    }
    | {character: f"\\{character}" for character in "&%$#_{}"}
    | {
        letter: f"$\\{name}$"
        for letter, name in zip("αγεσρτ", ["alpha", "gamma", "varepsilon", "sigma", "rho", "tau"], strict=True)
    }
)
MARKS = {"best": r"\textbf{%s}", "second": r"\underline{%s}", "": "%s"}


MOST_ROWS_OF_A_PAGE = 40
"""Longer tables break over pages."""


def latex_table(table: Table, style: TableStyle) -> str:
    """Return a table with caption, label and notes. The best figure is bold, the second underlined.

    A long table breaks over pages.
    """
    rows = [
        f"{' & '.join([*(escaped(str(name)) for name in row.names), *(_cell(cell, style) for cell in cells)])} \\\\"
        for row, cells in zip(table.rows, printed_cells(table, style), strict=True)
    ]
    width = len(table.name_titles) + len(table.columns)
    heading = f"\\midrule\n\\multicolumn{{{width}}}{{l}}{{{FOR_COMPARISON}}} \\\\"
    body = with_comparison(table, rows, heading)
    is_long = len(body) > MOST_ROWS_OF_A_PAGE
    notes = [f"{{\\footnotesize {escaped(note)}\\par}}" for note in (*table.heads, *notes_with_marks(table, style))]
    lines = [
        *(f"% {' '.join(line.split())}" for line in table.heads),
        f"% Needs \\usepackage{{booktabs{',longtable' * is_long}}}",
        *(f"% {' '.join(line.split())}" for line in table.comments),
        *_framed(table, style, body, notes, is_long=is_long),
    ]
    return "\n".join(lines) + "\n"


def _framed(table: Table, style: TableStyle, body: Sequence[str], notes: Sequence[str], *, is_long: bool) -> list[str]:
    """Return the lines of a table on one page, or of a long one with its headings on each."""
    alignment = "l" * len(table.name_titles) + "r" * len(table.columns)
    caption = f"\\caption{{{escaped(style.caption)}}}"
    label = [f"\\label{{{style.label}}}"] * bool(style.label)
    head = ["\\toprule", *_headings(table), "\\midrule"]
    if is_long:
        first = [f"\\begin{{longtable}}{{{alignment}}}", f"{''.join([caption, *label])} \\\\"]
        again = ["\\endfirsthead", *head, "\\endhead"]
        return [*first, *head, *again, *body, "\\bottomrule", "\\end{longtable}", *notes]
    first = ["\\begin{table}", "\\centering", caption, *label, f"\\begin{{tabular}}{{{alignment}}}"]
    last = ["\\bottomrule", "\\end{tabular}", "\\par\\smallskip", *notes, "\\end{table}"]
    return [*first, *head, *body, *last]


def escaped(text: str) -> str:
    """Escape a text for LaTeX, which also reads [ and * at the start of a line, and joins two hyphens to a dash."""
    return "".join(SPECIAL.get(character, character) for character in text).replace("--", "-{-}")


def _headings(table: Table) -> Iterator[str]:
    """Yield the line of shared headings with its rules, if there are any, and the line of titles."""
    titles = [column.title + column.unit for column in table.columns]
    if any(group.title for group in table.groups):
        cells, rules, at = [""] * len(table.name_titles), [], len(table.name_titles) + 1
        for group in table.groups:
            width = len(group.columns)
            cells.append(f"\\multicolumn{{{width}}}{{c}}{{{escaped(group.title)}}}" if group.title else "")
            rules += [f"\\cmidrule(lr){{{at}-{at + width - 1}}}"] if group.title else []
            at += width
        yield f"{' & '.join(cells)} \\\\"
        yield "".join(rules)
    yield f"{' & '.join(map(escaped, [*table.name_titles, *titles]))} \\\\"


def _cell(cell: Cell, style: TableStyle) -> str:
    number = MARKS[cell.mark] % escaped(cell.marked_number.replace("-", "−"))
    if cell.interval and style.interval == "subscript":
        ends = cell.interval.replace(", ", r",\,").replace(" ", "~")
        return f"{number}$_{{{ends}}}$"
    return f"{number} {escaped(cell.interval.replace('-', '−'))}".replace("{[}", "[").strip()
