"""Measure the time of juries over 10 runs of 24,000 comparisons each, all pairs of 16 candidates in 100 contexts.

`python -m benchmarks.juries [--runs 10] [--comparisons 24000] [--database URL] [--repeats 3]` makes the runs in a
database, by default SQLite in a temporary folder. For each rule it makes a jury, reports on it with an empty cache, and
computes its page, which shows the accuracy of every member too. Prints a table on standard error and one JSON document
on standard output.
"""

import argparse
import json

from benchmarks.database import django_on
from benchmarks.machine import machine, say
from benchmarks.report import PAIRS, made, summary, timed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--comparisons", type=int, default=24_000, help="of each run")
    parser.add_argument("--database", default="", metavar="URL", help="postgresql://… or sqlite:///…")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    with django_on(options.database):
        results = measured(-(-options.comparisons // PAIRS), options.runs, options.repeats)
    for rule, seconds in results["rules"].items():
        say(f"{rule:10}" + "".join(f"{name} {times['median']:7.2f} s  " for name, times in seconds.items()))
    print(json.dumps(results, indent=2))


def measured(contexts: int, runs: int, repeats: int) -> dict[str, object]:
    """Return the seconds of each rule: to make the jury, to report on it, and to compute its page."""
    from django.db import connection

    from rankings.juries.jury_answers import RULES

    dataset = made(contexts, runs)
    members = list(dataset.runs.order_by("pk"))
    return {
        "comparisons_of_each_run": contexts * PAIRS,
        "runs": runs,
        "database": connection.vendor,
        "rules": {rule: of_rule(dataset, members, rule, repeats) for rule in RULES},
        "machine": machine(("django", "numpy", "psycopg", "scipy")),
    }


def of_rule(dataset: object, members: list, rule: str, repeats: int) -> dict[str, dict[str, float]]:
    from rankings.juries.jury_page import jury_sections
    from rankings.juries.stored_juries import make_jury
    from rankings.report.report_rows import report_rows
    from rankings.report_cache import forget_figures

    def fresh_jury() -> object:
        dataset.runs.filter(prompt_name=rule, method="jury").delete()
        return make_jury(name=f"jury by {rule}", run=members, by=rule).run

    def fresh_report(jury: object) -> object:
        forget_figures()
        return report_rows(dataset, runs=[jury])

    def fresh_page(jury: object) -> object:
        forget_figures()
        return jury_sections([*members, jury])

    make, report, page = [], [], []
    for _ in range(repeats):
        seconds, jury = timed(fresh_jury)
        make.append(seconds)
        report.append(timed(lambda jury=jury: fresh_report(jury))[0])
        page.append(timed(lambda jury=jury: fresh_page(jury))[0])
    return {"make": summary(make), "report": summary(report), "page": summary(page)}


if __name__ == "__main__":
    main()
