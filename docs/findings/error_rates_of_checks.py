"""Measure how often trust checks fail a fair judge, and how often they find a planted fault, on made-up judges.

    python docs/findings/error_rates_of_checks.py

It writes error_rates_of_checks.json next to this file. `evenhand validate` repeats one design.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from evenhand.numerics.reliability.trust.made_up_judges import MADE_UP_JUDGES, measured_row

CONTEXTS = (3, 5, 10, 20, 50, 100)
PAIRS = (1, 3, 30)
"""Pairs of one context, each asked in both orders unless the judge is asked in one. Three pairs are of three texts."""
STUDIES = 1_000


def finding(studies: int = STUDIES) -> list[dict[str, Any]]:
    """Return one row for each judge and design: the shares of studies in which each check fails and cannot tell."""
    return [
        measured_row(name, pairs, contexts, studies)
        for name in MADE_UP_JUDGES
        for pairs in PAIRS
        for contexts in CONTEXTS
        if pairs > 1 or name != "cyclic"
    ]


def main() -> None:
    path = Path(__file__).with_suffix(".json")
    path.write_text("[\n" + ",\n".join(json.dumps(row) for row in finding()) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
