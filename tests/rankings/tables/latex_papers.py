"""Papers in LaTeX around a table, compiled by pdflatex."""

import shutil
import subprocess
from pathlib import Path

import pytest

PAPER = "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n%s\\end{document}\n"
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
