"""Sentences and tables of the page that compares all runs of an attribute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.template.defaultfilters import pluralize

from rankings.compare.comparison_of_runs import AllCompared, FigureCompared, PairDifference
from rankings.numerics import Figure
from rankings.numerics.figure import defined
from rankings.report.number_text import coefficient, percent
from rankings.report.run_names import RunName

TITLES = {"accuracy": "Accuracy", "spearman": "Spearman per context"}
IN_WORDS = {"accuracy": "accuracy", "spearman": "Spearman’s correlation per context"}


@dataclass(frozen=True, slots=True)
class GroupCell:
    """One figure of one run, and the letters of its groups."""

    figure: Figure
    letters: list[str]
    is_share: bool


@dataclass(frozen=True, slots=True)
class GroupLine:
    """One run and its figures."""

    run: RunName
    cells: list[GroupCell]


@dataclass(frozen=True, slots=True)
class PairTable:
    """The differences of all pairs of runs in one figure."""

    title: str
    pairs: Sequence[PairDifference]
    is_share: bool


def lines(result: AllCompared) -> list[GroupLine]:
    """The runs, by accuracy."""
    names = {run.name.run: run.name for run in result.runs}
    figures = [(block.figure == "accuracy", {row.run: row for row in block.runs}) for block in result.figures]
    return [
        GroupLine(
            names[row.run],
            [GroupCell(rows[row.run].figure, rows[row.run].letters, is_share) for is_share, rows in figures],
        )
        for row in result.figures[0].runs
    ]


def titles(result: AllCompared) -> list[str]:
    return [TITLES[block.figure] for block in result.figures]


def pair_tables(result: AllCompared) -> list[PairTable]:
    return [
        PairTable(TITLES[block.figure], block.pairs, block.figure == "accuracy")
        for block in result.figures
        if block.pairs
    ]


def sentences(result: AllCompared) -> list[str]:
    """Write for each figure the best run, and the runs that do not differ significantly from it."""
    judges = {run.name.run: run.name.judge for run in result.runs}
    return [sentence(block, judges) for block in result.figures if block.groups]


def sentence(block: FigureCompared, judges: Mapping[int, str]) -> str:
    best, *others = (row for row in block.runs if row.letters)
    value = (
        percent(defined(best.figure.value))
        if block.figure == "accuracy"
        else coefficient(defined(best.figure.value), 2)
    )
    begin = f"By {IN_WORDS[block.figure]}, run {best.run} ({judges[best.run]}) is first with {value}"
    alike = [f"run {row.run}" for row in others if set(row.letters) & set(best.letters)]
    if not others:
        return f"{begin}; no other run has this figure."
    if not alike:
        return f"{begin}; it differs significantly from all others."
    if len(alike) == len(others):
        return f"{begin}; no other run differs significantly from it."
    verb = "do" if len(alike) > 1 else "does"
    return f"{begin}; {listed(alike)} {verb} not differ significantly from it."


def untested(result: AllCompared) -> list[str]:
    """Why some pairs have no test."""
    return [
        f"{TITLES[block.figure]} of run {row.one} and run {row.other}: {row.undefined}."
        for block in result.figures
        for row in block.pairs
        if row.p_value is None
    ]


def undefined(result: AllCompared) -> list[str]:
    """Why some runs lack a figure, those that lack it for one reason together."""
    found: dict[tuple[str, str], list[int]] = {}
    for block in result.figures:
        for row in block.runs:
            if row.figure.value is None:
                found.setdefault((TITLES[block.figure], row.figure.undefined or ""), []).append(row.run)
    return [f"{title} of {named(runs)}: {why}." for (title, why), runs in found.items()]


def named(runs: Sequence[int]) -> str:
    """Runs as a sentence has them."""
    return f"run{pluralize(len(runs))} {listed([str(run) for run in runs])}"


def listed(names: Sequence[str]) -> str:
    """Names as a sentence has them."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
