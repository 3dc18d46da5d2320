"""Compute what a jury of LLMBar's recorded judges gains over its best member.

Run it with a folder that holds LLMBar's Natural.json, Adversarial/ and recorded_verdicts.jsonl:

    python docs/findings/jury_of_llmbar.py FOLDER

It uses a database of its own, in a temporary folder, and writes jury_of_llmbar.json next to this file.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterable
from io import StringIO
from pathlib import Path
from typing import Any

import django
from django.core.management import call_command

RULES = ("majority", "weighted")
STRATEGIES = ("Vanilla_NoRules", "Vanilla", "CoT", "Swap", "Swap_CoT", "Metrics", "Reference", "Metrics_Reference")
DIGITS = 4


def finding(folder: Path) -> list[dict[str, Any]]:
    """Return a row for each strategy and rule. It fills the database that Django is set up for.

    Each row compares the jury of all judges with its most accurate member, on the comparisons that all answered.
    """
    runs = import_llmbar(folder)
    rows = []
    for strategy in STRATEGIES:
        members = {run["judge"]: run["run"] for run in runs if run["prompt"] == strategy}
        best = max(accuracies(members.values()).items(), key=lambda one: one[1])[0]
        names = {run: judge for judge, run in members.items()}
        for rule in RULES:
            numbers = [str(run) for run in members.values()]
            jury = printed("jury", f"{strategy} by {rule}", "--dataset", "LLMBar", "--run", *numbers, "--by", rule)
            named = {"strategy": strategy, "rule": rule, "members": len(members), "best": names[best]}
            rows.append(named | difference(jury["run"], best))
    return rows


def import_llmbar(folder: Path) -> list[dict[str, Any]]:
    """Store LLMBar with its recorded verdicts, and return its runs."""
    printed("import_dataset", folder / "Natural.json", folder / "Adversarial", "--name", "LLMBar")
    verdicts = folder / "recorded_verdicts.jsonl"
    runs: list[dict[str, Any]] = printed("import_comparisons", verdicts, "--dataset", "LLMBar")["runs"]
    return runs


def accuracies(runs: Iterable[int]) -> dict[int, float]:
    """Return run -> its accuracy on all its answers."""
    options = [word for run in runs for word in ("--run", str(run))]
    rows = printed("report", "--dataset", "LLMBar", *options)["rows"]
    return {row["run"]: row["accuracy"]["value"] for row in rows if row["subset"] == "all"}


def difference(jury: int, best: int) -> dict[str, Any]:
    """Return the accuracies of jury and member on their common comparisons, and the difference with its interval."""
    compared = printed("compare", jury, best)
    [row] = [row for row in compared["differences"] if row["figure"] == "accuracy"]
    shown = {
        "jury": row["one"],
        "member": row["other"],
        "gain": row["difference"],
        "low": row["low"],
        "high": row["high"],
    }
    return {"comparisons": compared["comparisons"]} | {name: round(value, DIGITS) for name, value in shown.items()}


def printed(*words: object) -> Any:  # noqa: ANN401 - any JSON
    """Return the JSON document that a command prints."""
    stdout = StringIO()
    call_command(*map(str, words), "--json", stdout=stdout)
    return json.loads(stdout.getvalue())


def main() -> None:
    folder = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as scratch:
        os.environ |= {
            "DATABASE_URL": f"sqlite:///{scratch}/db.sqlite3",
            "EVENHAND_DATA": scratch,
            "SECRET_KEY": "of a database that is deleted at the end",
            "DJANGO_SETTINGS_MODULE": "evalsite.settings",
        }
        django.setup()
        call_command("migrate", verbosity=0)
        rows = finding(folder)
    Path(__file__).with_suffix(".json").write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
