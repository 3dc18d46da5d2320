"""Tables of the findings, built from the numbers that their programs computed (docs/findings/*.json)."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from finding_cells import Row, chosen, grouped, held, percent, short, span, tenth, values_of

FOLDER = Path(__file__).resolve().parent / "findings"


def finding_table(page: str, name: str) -> str:
    """Return a table of a page. Raises KeyError for one that is not listed."""
    numbers = json.loads((FOLDER / f"{page.replace('-', '_')}.json").read_text(encoding="utf-8"))
    heads, rows = TABLES[page, name](numbers)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (heads, ["---"] * len(heads), *rows)) + "\n"


def coverage(numbers: Row) -> tuple[Sequence[str], list[list[str]]]:
    """Return how often intervals hold, by figure and number of contexts."""
    figures = ("share", "difference", "spearman", "macro")
    rows = [row for row in numbers["coverage"] if row["figure"] in figures]
    heads = ("contexts", "shares", "before", "differences of shares", "before", "mean correlations", "before", "macro")
    lines = []
    for (contexts,), found in sorted(grouped(rows, "contexts")):
        cells = [held(chosen(found, figure=one), key) for one in figures for key in ("covered", "covered_before")]
        lines.append([str(contexts), *cells[:-1]])
    return heads, lines


def verdicts(numbers: Row) -> tuple[Sequence[str], list[list[str]]]:
    """Return how often a judge that replaces another gets each verdict, by its loss."""
    at_margin, equal, twice = sorted(values_of(numbers["verdicts"], "loss"), key=lambda loss: (loss != 0.05, loss))
    heads = ("comparisons a context", "contexts", "worse by the margin: called not worse")
    heads += ("equal: called the same or not worse", "worse by two margins: called worse")
    lines = []
    for (size, contexts), rows in grouped(numbers["verdicts"], "size", "contexts"):
        if contexts > 2:
            [margin], [same], [worse] = (chosen(rows, loss=loss) for loss in (at_margin, equal, twice))
            called = [sum(row[name] for name in ("better", "same", "not worse")) for row in (margin, same)]
            lines.append([str(size), str(contexts), *(percent(one, 1) for one in (*called, worse["worse"]))])
    return heads, lines


def corrected(numbers: Row) -> tuple[Sequence[str], list[list[str]]]:
    """Return how often corrected win rates hold, and how wide they are."""
    heads = ("skill", "contexts with votes", "covered", "mean width", "mean width, prediction-powered")
    heads += ("studies without a corrected rate",)
    lines = [
        [
            *(str(skill), str(contexts), held(rows, "covered")),
            *(span([row[key] for row in rows], "{:.2f}".format) for key in ("width", "width_powered")),
            span([row["unusable"] for row in rows], percent),
        ]
        for (skill, contexts), rows in grouped(chosen(numbers["coverage"], figure="corrected"), "skill", "contexts")
    ]
    return heads, lines


def separations(numbers: Row) -> tuple[Sequence[str], list[list[str]]]:
    """Return how often all intervals hold at once."""
    heads = (
        "systems",
        "contexts",
        "equal systems: all hold",
        "called apart",
        "systems apart: all hold",
        "called apart",
    )
    lines = []
    for (systems, contexts), rows in grouped(numbers["separations"], "systems", "contexts"):
        equal, apart = rows
        shares = (
            percent(equal["all covered"]),
            tenth(equal["apart"]),
            percent(apart["all covered"]),
            percent(apart["apart"]),
        )
        lines.append([str(systems), str(contexts), *shares])
    return heads, lines


def weights(numbers: Row) -> tuple[Sequence[str], list[list[str]]]:
    """Return how often the interval of a weight holds."""
    rows = chosen(numbers["coverage"], figure="weight")
    return ("contexts", "covered", "mean width"), [
        [str(contexts), held(found, "covered"), span([row["width"] for row in found], "{:.2f}".format)]
        for (contexts,), found in grouped(rows, "contexts")
    ]


def unjudged(numbers: Row) -> tuple[Sequence[str], list[list[str]]]:
    """Return how often intervals of systems that no person judged hold."""
    heads = (
        "systems judged",
        "promised",
        "covered, small likings",
        "mean width",
        "covered, large likings",
        "mean width",
    )
    return heads, [
        [
            str(judged),
            percent(level),
            *(text for row in rows for text in (percent(row["covered"]), f"{row['width']:.2f}")),
        ]
        for (judged, level), rows in grouped(numbers["unjudged"], "judged", "level")
    ]


def kinds(numbers: Row) -> tuple[Sequence[str], list[list[str]]]:
    """Return how often kinds are called different."""
    heads = ("kinds", "contexts of each", "difference covered", "equal kinds: any called different")
    heads += ("one kind worse: any called different",)
    lines = []
    for (number, contexts), rows in grouped(numbers["kinds"], "kinds", "contexts"):
        found = [[row["found"] for row in rows if (row["loss"] > 0) == worse] for worse in (False, True)]
        lines.append([str(number), str(contexts), held(rows, "covered"), *(span(one, percent) for one in found)])
    return heads, sorted(lines, key=lambda cells: (int(cells[0]), int(cells[1])))


def alarms(numbers: Sequence[Row], *, fair: bool) -> tuple[Sequence[str], list[list[str]]]:
    """Return the share of studies in which a judge fails a check."""
    rows = [row for row in numbers if row["judge"].startswith("fair") == fair]
    contexts = values_of(rows, "contexts")
    return ("judge", "pairs a context", *(f"{one} contexts" for one in contexts)), [
        [judge, str(pairs), *(short(row["any failed"]) for row in found)]
        for (judge, pairs), found in grouped(rows, "judge", "pairs")
    ]


CHECKS = ("varied-answers", "better-than-constant", "order-beyond-position", "both-orders")


def by_check(numbers: Sequence[Row]) -> tuple[Sequence[str], list[list[str]]]:
    """Return how often each check fails and cannot tell, in one design."""
    lines = [[row["judge"], *(states(row, name) for name in CHECKS)] for row in chosen(numbers, pairs=30, contexts=20)]
    return ("judge", *(f"`{name}`" for name in CHECKS)), lines


def states(row: Row, check: str) -> str:
    """Return how often a check failed and could not tell; a dash where it does not apply."""
    found = row[check]
    if any(found.values()):
        return f"{short(found['failed'])}, {short(found['cannot tell'])}"
    return "a note" if check == "both-orders" else "—"


def power_of_checks(numbers: Sequence[Row]) -> tuple[Sequence[str], list[list[str]]]:
    """Return how often a fair judge passes two checks."""
    rows = chosen(numbers, judge="fair")
    shown = CHECKS[1:3]
    return ("pairs a context", *(f"{one} contexts" for one in values_of(rows, "contexts"))), [
        [str(pairs), *("; ".join(short(row[name]["passed"]) for name in shown) for row in found)]
        for (pairs,), found in grouped(rows, "pairs")
    ]


def stopping(numbers: Row) -> tuple[Sequence[str], list[list[str]]]:
    """Return the shares really reordered, by judge and bound."""
    bounds = values_of(numbers["stopping"], "bound")
    lines = []
    for judge in values_of(numbers["stopping"], "judge"):
        cells = [judge]
        for bound in bounds:
            now, before = (
                [row["reordered"] for row in chosen(numbers[key], judge=judge, bound=bound)]
                for key in ("stopping", "stopping_before")
            )
            cells += [span(now, "{:.3f}".format), f"{max(before):.3f}"]
        lines.append(cells)
    return ("judge", *(head for bound in bounds for head in (f"bound {bound}", "before"))), lines


def plans(numbers: Row) -> tuple[Sequence[str], list[list[str]]]:
    """Return how often planned widths are missed."""
    heads = ("figure", "people", "votes of the pilot", "votes", "needed", "planned", "before", "wider", "before")
    names = ("figure", "people", "pilot_votes", "votes", "needed", "planned")
    lines = []
    for row, before in zip(numbers["plans"], numbers["plans_before"], strict=True):
        mark = " †" * (row["pilots"] == 300)
        known = [str(row[name]) for name in names]
        lines.append([*known, str(before["planned"]), percent(row["wider"], 1) + mark, percent(before["wider"], 1)])
    return heads, lines


def power(numbers: Row) -> tuple[Sequence[str], list[list[str]]]:
    """Return how often planned differences are found."""
    heads = ("gap in points", "votes", "judges in the pilot", "contexts of the pilot", "contexts", "found")
    return heads, [
        [
            *(f"{100 * row['gap']:.0f}", str(row["votes"]), row["judges_of_pilot"], str(row["pilot"])),
            *(f"{row['contexts']:,}", percent(row["found"])),
        ]
        for row in numbers["power"]
    ]


def cascades(numbers: Row) -> tuple[Sequence[str], list[list[str]]]:
    """Return how often cascades are granted, and how often their promise is broken."""
    rows = numbers["cascades"]
    designs = values_of(rows, "contexts"), values_of(rows, "alpha")
    heads = [f"{contexts} contexts, alpha {alpha:g}" for contexts in designs[0] for alpha in designs[1]]
    return ("judges", *(f"{head}: granted, broken" for head in heads)), [
        [skills, *(f"{percent(row['granted'])}, {tenth(row['broken'])}" for row in found)]
        for (skills,), found in grouped(rows, "skills")
    ]


DESIGNS = ((2, 6), (2, 40), (4, 8), (4, 40), (8, 6), (8, 12), (8, 40), (20, 8), (20, 40))


def families(numbers: Sequence[Row]) -> tuple[Sequence[str], list[list[str]]]:
    """Return how often equal runs are called worse, in some designs."""
    heads = ("runs", "contexts", "tested, or equal everywhere", "found worse", "before")
    heads += ("tables with a run found worse", "before")
    lines = []
    for runs, contexts in DESIGNS:
        [row] = chosen(numbers, rate=0.75, runs=runs, contexts=contexts)
        shares = [percent(row[name], 1) for name in ("worse", "worse_before")]
        tables = [percent(row[name]) for name in ("any_worse", "any_worse_before")]
        lines.append([str(runs), str(contexts), percent(row["tested"]), *shares, *tables])
    return heads, lines


def systems(numbers: Row) -> tuple[Sequence[str], list[list[str]]]:
    """Return the correlation of systems with people, by comparisons."""
    rows = chosen(numbers["systems"], attribute="coherence")
    return ("comparisons", "share", "`decided`", "`hesitant`"), [
        [f"{asked:,}", percent(asked / 24_000, 1), *(with_range(row) for row in found)]
        for (asked,), found in grouped(rows, "comparisons")
    ]


def with_range(row: Row) -> str:
    """Return a correlation with the range of its draws."""
    low, high = (f"{row[name]:.2f}".replace("-", "−") for name in ("low", "high"))
    return f"{row['people']:.2f}" + (f" [{low}, {high}]" if row["low"] != row["high"] else "")


def stopped(numbers: Row) -> tuple[Sequence[str], list[list[str]]]:
    """Return what stopping when sure asks, and what it costs."""
    heads = ("dataset", "judge", "bound", "asked", "correlation", "all answers", "difference")
    lines = []
    for row in sorted(numbers["stopped"], key=lambda row: row["dataset"]):
        gap = f"{row['spearman'] - row['all_answers']:.3f}".replace("-", "−")
        known = [row["dataset"], f"`{row['judge']}`", str(row["bound"]), percent(row["asked"])]
        lines.append([*known, f"{row['spearman']:.3f}", f"{row['all_answers']:.3f}", gap])
    return heads, lines


def juries(numbers: Sequence[Row]) -> tuple[Sequence[str], list[list[str]]]:
    """Return the accuracy of juries and of their best member."""
    rules = ("majority", "learned weights")
    heads = (
        "strategy",
        "comparisons",
        "GPT-4 (%)",
        *(head for rule in rules for head in (f"{rule} (%)", "difference")),
    )
    lines = []
    for (strategy,), rows in grouped(numbers, "strategy"):
        points = [f"{100 * row['jury']:.1f}" for row in rows]
        cells = [cell for point, row in zip(points, rows, strict=True) for cell in (point, gain(row))]
        lines.append([strategy, str(rows[0]["comparisons"]), f"{100 * rows[0]['member']:.1f}", *cells])
    return heads, lines


def gain(row: Row) -> str:
    """Return a difference in points with its interval."""
    value, low, high = (f"{100 * row[name]:.1f}".replace("-", "−") for name in ("gain", "low", "high"))
    return f"{value} [{low}, {high}]"


TABLES: Mapping[tuple[str, str], Callable[[Any], tuple[Sequence[str], list[list[str]]]]] = {
    ("coverage-of-intervals", "coverage"): coverage,
    ("coverage-of-intervals", "verdicts"): verdicts,
    ("coverage-of-intervals", "corrected"): corrected,
    ("coverage-of-intervals", "separations"): separations,
    ("coverage-of-intervals", "weights"): weights,
    ("coverage-of-intervals", "unjudged"): unjudged,
    ("coverage-of-intervals", "kinds"): kinds,
    ("error-rates-of-checks", "fair"): partial(alarms, fair=True),
    ("error-rates-of-checks", "faulty"): partial(alarms, fair=False),
    ("error-rates-of-checks", "checks"): by_check,
    ("error-rates-of-checks", "power"): power_of_checks,
    ("error-rates-of-plans", "stopping"): stopping,
    ("error-rates-of-plans", "plans"): plans,
    ("error-rates-of-plans", "power"): power,
    ("error-rates-of-plans", "cascades"): cascades,
    ("family-of-tests", "families"): families,
    ("few-comparisons-of-summeval", "systems"): systems,
    ("few-comparisons-of-summeval", "stopped"): stopped,
    ("jury-of-llmbar", "juries"): juries,
}
"""Page and name of a table -> what makes it from the numbers."""
