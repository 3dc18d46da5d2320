"""The notebook on the library runs, prints what it shows, and is the program of its page."""

import json
import re
import shutil
from pathlib import Path

import pytest

HOW_TO = Path(__file__).resolve().parents[2] / "docs" / "how-to"
NUMBER = re.compile(r"-?\d+\.\d+")


@pytest.fixture
def cells():
    cells = json.loads((HOW_TO / "notebook.ipynb").read_text())["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def lines_of(code):
    return [line for line in code.splitlines() if line.strip()]


def rounded_numbers(text):
    """Round every number, because processors differ in the last digit."""
    return NUMBER.sub(lambda number: f"{float(number[0]):.9f}", text)


def test_notebook_prints_what_it_shows(cells, tmp_path, monkeypatch, capsys):
    for name in ("comparisons.csv", "scores.csv"):
        shutil.copy(HOW_TO / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    names = {}

    for cell in cells:
        exec("".join(cell["source"]), names)
        shown = "".join(line for output in cell["outputs"] for line in output["text"])
        assert rounded_numbers(capsys.readouterr().out) == rounded_numbers(shown)

    assert len(names["best"]) == 24


def test_page_has_the_program_of_the_notebook_in_twelve_lines(cells):
    [program] = re.findall(r"```python\n(.*?)```", (HOW_TO / "notebook.md").read_text(), flags=re.DOTALL)

    own = [line for cell in cells for line in lines_of("".join(cell["source"]))]
    assert lines_of(program) == own
    assert len(own) == 12
