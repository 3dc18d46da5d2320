"""The trust checks of a report row: what should hold before its figures are believed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rankings.numerics import Comparisons, Votes
from rankings.numerics.reliability.trust_checks import (
    CHECKS,
    ORDER_CHECKS,
    Check,
    failure_checks,
    order_checks,
    overlap_check,
)

NO_PAIRS = "a run that scores candidates one by one shows no pair"
STATES = {True: "passed", False: "failed", None: "not applicable"}
TITLES = {
    "connected": "comparisons connected",
    "won-and-lost": "every candidate won and lost",
    "unparsed": "few unparsed answers",
    "errors": "few errors",
    "both-orders": "both orders present",
    "chosen-by-answers": "pairs not chosen by answers",
    "human-overlap": "enough human overlap",
}

Row = Mapping[str, Any]


def checks_of_comparisons(
    comparisons: Comparisons, votes: Votes, counted: Row, *, pairs_twice: int, chosen: int
) -> list[dict[str, Any]]:
    """Of a run that compares.

    comparisons: the answered ones. counted: how many `comparisons`, `unparsed` and `errors` the report row counts.
    pairs_twice: how many unordered pairs have answers in both orders. chosen: how many of the comparisons are of pairs
    that an adaptive run chose by its answers.
    """
    return _rows(
        *order_checks(comparisons, pairs_twice=pairs_twice, chosen=chosen),
        *_failures(counted, "comparisons"),
        overlap_check(comparisons, votes),
    )


def checks_of_scores(pairs: Comparisons, votes: Votes, counted: Row) -> list[dict[str, Any]]:
    """Of a run that scores. pairs: which of each two scores is higher. counted: as above; `comparisons` are scores."""
    return _rows(
        *(Check.not_applicable(name, NO_PAIRS) for name in ORDER_CHECKS),
        *_failures(counted, "scores"),
        overlap_check(pairs, votes),
    )


def titled(row: Row) -> list[dict[str, Any]]:
    """The checks of a report row, each with its title."""
    return [check | {"title": TITLES[check["check"]]} for check in row["trust"]]


def failed(row: Row) -> list[dict[str, Any]]:
    """Those that failed."""
    return [check for check in titled(row) if check["state"] == STATES[False]]


def summary(row: Row) -> str:
    """How many checks of a report row passed, and how many do not apply."""
    states = [check["state"] for check in row["trust"]]
    passed, idle = states.count(STATES[True]), states.count(STATES[None])
    told = f"{passed} of {len(states)} checks passed"
    return f"{told}, {idle} not applicable" if idle else told


def shown(row: Row) -> dict[str, Any]:
    """What the results page of a run shows of its checks."""
    return {"trust": titled(row), "trust_summary": summary(row), "trust_failed": failed(row)}


def warnings(rows: Sequence[Row]) -> list[str]:
    """A line for each run of which a check failed."""
    whole = ((row, failed(row)) for row in rows if row["subset"] == "all")
    return [f"run {row['run']}: failed checks: {'; '.join(map(_told, found))}" for row, found in whole if found]


def _told(check: Row) -> str:
    return f"{check['title']} ({check['why']})"


def _failures(counted: Row, noun: str) -> list[Check]:
    return failure_checks(
        answered=counted["comparisons"], unparsed=counted["unparsed"], errors=counted["errors"], noun=noun
    )


def _rows(*checks: Check) -> list[dict[str, Any]]:
    by_name = {check.name: check for check in checks}
    return [_row(by_name[name]) for name in CHECKS]


def _row(check: Check) -> dict[str, Any]:
    return {
        "check": check.name,
        "state": STATES[check.passed],
        "value": check.value,
        "limit": check.limit,
        "why": check.why,
        **({"undefined": check.why} if check.value is None else {}),
    }
