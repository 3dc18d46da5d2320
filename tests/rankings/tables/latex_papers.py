"""Papers in LaTeX around a table, read, compiled by pdflatex, and compared with their page."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from django.urls import reverse

PAPER = "\\documentclass{article}\n\\usepackage{booktabs,longtable}\n\\begin{document}\n%s\\end{document}\n"
needs_latex = pytest.mark.skipif(
    shutil.which("pdflatex") is None,
    reason="no pdflatex here; as root: apt-get install --no-install-recommends texlive-latex-recommended",
)


def compile_latex(tables: str, *, folder: Path) -> Path:
    """Compile a paper with these tables and return its PDF. A failure shows the end of LaTeX's log."""
    (folder / "paper.tex").write_text(PAPER % tables, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    compiled = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert compiled.returncode == 0, compiled.stdout[-2000:]
    return folder / "paper.pdf"


def rows_of(table: str) -> list[list[str]]:
    """Read the rows of a table in LaTeX, each as its cells without intervals. Bold is *81.4*.

    Fails where braces or environments do not match, a row has too many or too few cells, or a character has no glyph.
    """
    body = "\n".join(line for line in table.splitlines() if not line.startswith("%"))
    bare = re.sub(r"\\[\\{}]", "", body)
    assert bare.count("{") == bare.count("}")
    assert re.findall(r"\\begin\{(\w+)\}", body) == re.findall(r"\\end\{(\w+)\}", body)[::-1]
    assert not re.search(r"[^\x00-\x7e\u2018\u2019\u201c\u201d–—…·§¶ßæøœÆØŒ¡¿]", body)
    alignment = re.search(r"\\begin\{(?:tabular|longtable)\}\{(\w+)\}", body)[1]
    lines = [
        line.removesuffix(r" \\") for line in body.splitlines() if line.endswith(r" \\") and "\\caption" not in line
    ]
    widths = [sum(int(span) - 1 for span in re.findall(r"\\multicolumn\{(\d+)\}", line)) for line in lines]
    rows = [line.split(" & ") for line in lines]
    assert {len(row) + wide for row, wide in zip(rows, widths, strict=True)} == {len(alignment)}
    return [[_plain(cell) for cell in row] for row in rows]


def _plain(cell: str) -> str:
    text = re.sub(r"\\multicolumn\{\d+\}\{\w\}\{(.*)\}", r"\1", cell)
    text = re.sub(r"\\emph\{(.*)\}", r"\1", re.sub(r"\\textbf\{(.*)\}", r"*\1*", text))
    text = text.replace("$^\\dagger$", "†").replace("$-$", "−")
    return re.sub(r"( (\[[^\]]*\]|\(sd [^)]*\)))?( \$\\kappa\$ \S+)?$", "", text).strip()


def on_page(table):
    """The headings of sections, and the first name and the figures of each row, as a page draws them."""
    for section in table.sections:
        yield from [[section.title]] * bool(section.title)
        for row in section.rows:
            numbers = [one.number + "†" * one.is_tied for one in row.cells]
            yield [row.name, *(f"*{text}*" if one.mark else text for text, one in zip(numbers, row.cells, strict=True))]


def in_paper(text, table):
    """The same from LaTeX. The column of n, which stands in the cells of the page, is left out."""
    rows = rows_of(text)
    titles = next(row for row in rows if row[: len(table.names)] == [name.title for name in table.names])
    shown = [place for place, title in enumerate(titles) if place == 0 or (place >= len(table.names) and title != "n")]
    last = max(at for at, row in enumerate(rows) if row == titles)
    return [row if len(row) == 1 else [row[place] for place in shown] for row in rows[last + 1 :]]


def page_and_paper(client, page, file, key, query=()):
    """The table of a page, and the LaTeX that its address exports."""
    shown = client.get(reverse(page, args=[key]), dict(query))
    paper = client.get(reverse(file, args=[key, "tex"]), dict(query))
    return shown.context["table"], paper.getvalue().decode()
