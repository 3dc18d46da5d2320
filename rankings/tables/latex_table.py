"""`latex_table`: a table for a paper, ruled by booktabs."""

import re
import unicodedata
from collections.abc import Iterator, Sequence

from rankings.tables.paper_table import paper_table
from rankings.tables.table import Cell, Table, TableStyle, printed_cells, printed_notes, under_headings

MATHS = "alpha gamma varepsilon kappa sigma rho tau geq leq times to pm"
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
        "−": "$-$",
        "\u202f": r"\,",
        "\xa0": "~",
        "†": r"$^\dagger$",
    }
    | {character: f"\\{character}" for character in "&%$#_{}"}
    | dict(zip("αγεκσρτ≥≤×→±", [f"$\\{name}$" for name in MATHS.split()], strict=True))
)
ACCENTS = dict(
    zip("\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0327", "`'^~=u.\"rHvc", strict=True)
)
"""A combining character, and the command of LaTeX that sets it on a letter."""
ACCENTED = re.compile(f"([A-Za-z])([{''.join(ACCENTS)}])")
NOT_SET = re.compile(r"[^\x20-\x7e\n\u2018\u2019\u201c\u201d–—…·§¶ßæøœÆØŒ¡¿]+")
"""Characters that LaTeX sets in no font that every paper has."""
MOST_ROWS_OF_A_PAGE = 40
"""Longer tables break over pages."""


def latex_table(table: Table, style: TableStyle) -> str:
    """Return a table with caption, label and notes, as `paper_table` prints it. The best figure is bold.

    A long table breaks over pages. What LaTeX cannot set stands as [1], [2] and so on, with a comment on each.
    """
    table, style = paper_table(table, style)
    rows = [
        f"{' & '.join([*(escaped(str(name)) for name in row.names), *(_cell(cell, style) for cell in cells)])} \\\\"
        for row, cells in zip(table.rows, printed_cells(table, style), strict=True)
    ]
    width = len(table.name_titles) + len(table.columns)
    heading = f"\\addlinespace\n\\multicolumn{{{width}}}{{l}}{{\\emph{{%s}}}} \\\\"
    body = under_headings(table, rows, lambda title: heading % escaped(title))
    is_long = len(body) > MOST_ROWS_OF_A_PAGE
    notes = [
        f"{{\\footnotesize {escaped(note)}\\par}}"
        for note in (*table.heads, *printed_notes(table, style, has_marks=True))
    ]
    framed = "\n".join(_framed(table, style, body, notes, is_long=is_long))
    numbers = {text: number for number, text in enumerate(dict.fromkeys(NOT_SET.findall(framed)), start=1)}
    comments = [
        *table.heads,
        f"Needs \\usepackage{{booktabs{',longtable' * is_long}}}",
        *table.comments,
        *(f"[{number}] stands for {text}, which LaTeX does not set." for text, number in numbers.items()),
    ]
    settable = NOT_SET.sub(lambda found: f"{{[}}{numbers[found[0]]}]", framed)
    return "".join(f"% {' '.join(line.split())}\n" for line in comments) + f"{settable}\n"


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
    text = unicodedata.normalize("NFD", re.sub(r"[\t\n\r]+", " ", text))
    plain = "".join(SPECIAL.get(one, one) for one in text).replace("--", "-{-}")
    accented = ACCENTED.sub(lambda found: f"\\{ACCENTS[found[2]]}{{{found[1]}}}", plain)
    return unicodedata.normalize("NFC", accented)


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
    number = escaped(cell.marked_number.replace("-", "−"))
    number = f"\\textbf{{{number}}}" if cell.mark else number
    if cell.interval and style.interval == "subscript":
        ends = cell.interval.replace(", ", r",\,").replace(" ", "~")
        return f"{number}$_{{{ends}}}$ {escaped(cell.kappa.replace('-', '−'))}".strip()
    return f"{number} {escaped(cell.beside.replace('-', '−'))}".replace("{[}", "[").strip()
