"""The finding about a small judge: its table has the computed numbers, and its claims hold for them."""

import json
import re
from pathlib import Path

import docs.findings

FOLDER = Path(docs.findings.__path__[0])
ROWS = {row["method"]: row for row in json.loads((FOLDER / "small_judge.json").read_text())}
CELL = re.compile(r"(\d+\.\d) \[(\d+\.\d), (\d+\.\d)\]")


def test_table_has_the_computed_numbers():
    lines = [line for line in (FOLDER / "small-judge.md").read_text().splitlines() if line.startswith("| `")]
    shown = {
        line.split("`")[1]: [[round(float(number) / 100, 3) for number in cell] for cell in CELL.findall(line)]
        for line in lines
    }

    figures = ("accuracy", "accuracy_debiased", "p_first")
    assert shown == {name: [row[figure] for figure in figures if row[figure]] for name, row in ROWS.items()}


def test_only_two_methods_are_better_than_a_coin():
    assert {name for name, row in ROWS.items() if row["accuracy"] and row["accuracy"][1] > 0.5} == {
        "gptscore",
        "pointwise",
    }


def test_it_chooses_the_first_text_always():
    assert (ROWS["comparative"]["p_first"][0], ROWS["null-pairs"]["p_first"][0]) == (1.0, 1.0)
