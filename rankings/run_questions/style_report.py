"""The ranking of systems before and after control for style. docs/reference/style.md defines each number."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from evenhand.numerics import Comparisons, Figure
from evenhand.numerics.arrays import FloatArray, IntArray
from evenhand.numerics.exceptions import Undefined
from evenhand.numerics.figure import IntervalFigure
from evenhand.numerics.fitting.style_control import Estimates, StyleFit, fit_style, style_gaps
from evenhand.numerics.intervals import TOO_FEW_CONTEXTS
from evenhand.numerics.ranks import average_ranks
from evenhand.refusals import Refused
from evenhand.report_json import Flat, Help, IfAny
from judging.models import Candidate, Dataset, Run
from rankings.agreement.raters import pairs_of
from rankings.loading import CandidateTable
from rankings.record_states import states_of
from rankings.report.figures.figure_basis import NO_ORDER
from rankings.report.left_out import LeftOutParts
from rankings.report.report_choice import USUAL_CHOICE, ReportChoice
from rankings.report.report_rows import Sources
from rankings.report.run_names import RunName
from rankings.report_cache import cached

_HEADING = re.compile(r"^#{1,6}\s+\S", re.MULTILINE)
_BOLD = re.compile(r"\*\*[^*\n]+\*\*|__[^_\n]+__")
_LIST_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+\S", re.MULTILINE)

STYLE_FEATURES: Mapping[str, Callable[[str], int]] = {
    "words": lambda text: len(text.split()),
    "headings": lambda text: len(_HEADING.findall(text)),
    "bold": lambda text: len(_BOLD.findall(text)),
    "list items": lambda text: len(_LIST_ITEM.findall(text)),
}
"""Name of a feature → count in a text."""


def count_features(text: str) -> list[int]:
    """Return the count of each feature of STYLE_FEATURES in a text."""
    return [count(text) for count in STYLE_FEATURES.values()]


def features_of(table: CandidateTable, dataset: Dataset) -> FloatArray:
    """Return the counts of each candidate of the table, (n_candidates, n_features), in one query."""
    texts = Candidate.objects.filter(context__dataset=dataset).values_list("pk", "text")
    counts = {pk: count_features(text) for pk, text in texts.iterator(chunk_size=2_000)}
    ids: Sequence[int] = table.ids.tolist()
    return np.array([counts[pk] for pk in ids], dtype=np.float64).reshape(len(ids), len(STYLE_FEATURES))


SAME_IN_ALL = "the compared texts never differ in it"


@dataclass(frozen=True)
class StyleCoefficient:
    """The effect of one feature on the judge's log-odds, with systems held fixed."""

    feature: str
    coefficient: Annotated[IntervalFigure, Help("For a gap of 1: one text has all of it. Above 0, the judge likes it.")]


@dataclass(frozen=True)
class StyledSystem:
    """A system's score in nats, before and after control for style. Ranks: 1 is best."""

    system: str
    before: IntervalFigure
    after: IntervalFigure
    rank_before: float
    rank_after: float


@dataclass(frozen=True)
class StyleReport:
    """Style in the answers of a run. comparisons: those between candidates of two named systems."""

    name: Flat[RunName]
    comparisons: int
    contexts: int
    coefficients: list[StyleCoefficient]
    position_bias: Annotated[IntervalFigure, Help("Log-odds for the candidate shown first, with style held fixed.")]
    systems: list[StyledSystem]
    without: Annotated[IfAny[LeftOutParts], Help("What is left out, by the report or by the run.")] = None


def style_report(run: Run, choice: ReportChoice = USUAL_CHOICE) -> StyleReport:
    """Print how length and Markdown of the texts move a judge's answers, and its ranking of systems before and after
    control for them.

    Raises Refused if there are no texts, if they have no systems, or if no two systems are compared.
    """
    if not run.dataset.has_texts():
        raise Refused(f'run: {run.pk} — dataset "{run.dataset.name}" has no texts, so effects of style do not apply')
    return cached(("style", states_of([run])[run.pk], choice), lambda: _report(run, choice))


def _report(run: Run, choice: ReportChoice) -> StyleReport:
    sources = Sources.of_run(run, choice)
    table = sources.table
    comparisons = _between_systems(table, pairs_of(table, sources.answers(run)).known())
    if not len(comparisons):
        raise Refused(f"run: {run.pk} compares no texts of two named systems, so there is no ranking of systems")
    candidates = [*comparisons.first.tolist(), *comparisons.second.tolist()]
    names, numbers = np.unique([table.systems[one] for one in candidates], return_inverse=True)
    first, second = np.split(numbers, 2)
    features = features_of(table, run.dataset)
    gaps = style_gaps(features[comparisons.first], features[comparisons.second])
    varied = gaps.any(axis=0)
    try:
        fits = [
            fit_style(first, second, comparisons.p_first, one, comparisons.contexts, has_positions=not run.is_scoring)
            for one in (gaps[:, :0], gaps[:, varied])
        ]
    except Undefined as undefined:
        raise Refused(f"run: {run.pk}: {undefined}") from None
    return StyleReport(
        name=RunName.of(run),
        comparisons=len(comparisons),
        contexts=len(np.unique(comparisons.contexts)),
        coefficients=_coefficients(fits[1], gaps, np.flatnonzero(varied)),
        position_bias=Figure.missing(NO_ORDER, n=0)
        if run.is_scoring
        else _figures(fits[1].bias, [len(comparisons)])[0],
        systems=_systems(names.tolist(), fits, np.bincount(numbers)),
        without=sources.left_out,
    )


def _between_systems(table: CandidateTable, comparisons: Comparisons) -> Comparisons:
    systems = np.array(table.systems, dtype=object)
    first, second = systems[comparisons.first], systems[comparisons.second]
    return comparisons.select((first != "") & (second != "") & (first != second))


def _coefficients(fit: StyleFit, gaps: FloatArray, varied: IntArray) -> list[StyleCoefficient]:
    """Return the coefficient of each feature; n counts the comparisons whose texts differ in it."""
    numbers = np.count_nonzero(gaps, axis=0)
    fitted = dict(zip(varied.tolist(), _figures(fit.coefficients, numbers[varied].tolist()), strict=True))
    missing = Figure.missing(SAME_IN_ALL, n=0)
    return [StyleCoefficient(name, fitted.get(at, missing)) for at, name in enumerate(STYLE_FEATURES)]


def _systems(names: list[str], fits: list[StyleFit], numbers: IntArray) -> list[StyledSystem]:
    """Return the systems, the best after control first."""
    before, after = (_figures(fit.scores, numbers.tolist()) for fit in fits)
    ranks = [average_ranks(-np.round(fit.scores.values, 9)).tolist() for fit in fits]
    rows = [StyledSystem(*row) for row in zip(names, before, after, *ranks, strict=True)]
    return sorted(rows, key=lambda row: (row.rank_after, row.system))


def _figures(estimates: Estimates, numbers: list[int]) -> list[Figure]:
    rows = zip(estimates.values.tolist(), estimates.low.tolist(), estimates.high.tolist(), numbers, strict=True)
    return [
        Figure(value, n=n, undefined=TOO_FEW_CONTEXTS) if np.isnan(low) else Figure(value, low, high, n)
        for value, low, high, n in rows
    ]
