"""The score of each candidate of a run by one ranking, for the page, the command and the HTTP API."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Annotated

import numpy as np

from evenhand.numerics import (
    DEFAULT_RANKING,
    RANKING_TITLES,
    RANKINGS,
    Debiasing,
    Figure,
    Scores,
    Undefined,
    mean_of_both_orders,
    score,
)
from evenhand.numerics.decisions import decide
from evenhand.numerics.exceptions import value_or_why
from evenhand.numerics.figure import IntervalFigure
from evenhand.numerics.preferences import win_rates
from evenhand.numerics.ranked_scores import ranked_scores
from evenhand.options import Option
from evenhand.refusals import Refused
from evenhand.report_json import Help, IfAny, Unwritten, as_json
from judging.models import NOTHING_LEFT_OUT, Exclusion, Run
from rankings.agreement.raters import pairs_of
from rankings.loading import Answers
from rankings.record_states import states_of
from rankings.report.left_out import LeftOutParts, with_left_out
from rankings.report.long_lines import names_of
from rankings.report.report_choice import USUAL_CHOICE, ReportChoice
from rankings.report.report_rows import Sources
from rankings.report.rows_of_one_run import SCORE, score_or_why
from rankings.report.run_names import RunName
from rankings.report_cache import cached
from rankings.tables.long_form import Line, LongForm

MOST_COMBINATIONS = 4_000_000  # contexts times systems: 64 MB for wins and comparisons
TOO_MANY = f"there are more than {MOST_COMBINATIONS:,} combinations of contexts and systems"


def system_win_rates(
    run: Run, *, debias: bool = False, average_orders: bool = False, exclusion: Exclusion = NOTHING_LEFT_OUT
) -> dict[str, Figure]:
    """Return system -> its win rate, or the reason why there is none; nothing for fewer than two systems.

    debias, average_orders, exclusion: as in `scores_of`. Raises Refused for an exclusion of unknown names.
    """
    sources = Sources.of_run(run, ReportChoice(exclusion=exclusion))
    key = ("win-rates", states_of([run])[run.pk], debias, average_orders, exclusion)
    rates: dict[str, Figure] = cached(key, lambda: _rates(sources, run, debias, average_orders))
    return rates


def _rates(sources: Sources, run: Run, debias: bool, average_orders: bool) -> dict[str, Figure]:
    table, answers = sources.table, sources.answers(run)
    names = list(dict.fromkeys(filter(None, table.systems)))
    if len(names) < 2:
        return {}
    if len(names) * table.n_contexts > MOST_COMBINATIONS:
        return dict.fromkeys(names, Figure.missing(TOO_MANY))
    numbers = {name: number for number, name in enumerate(names)}
    comparisons = pairs_of(table, answers)
    try:
        if average_orders:
            comparisons = mean_of_both_orders(comparisons)
        threshold = Debiasing.of_run(comparisons)
        decisions = threshold.decide(comparisons.p_first) if debias else decide(comparisons.p_first)
    except Undefined as undefined:
        return dict.fromkeys(names, Figure.missing(undefined.reason))
    systems = np.array([numbers.get(name, -1) for name in table.systems], dtype=np.intp)
    return dict(zip(names, win_rates(comparisons, decisions, systems), strict=True))


CANDIDATE_COLUMNS = ("context", "candidate", "system")
SCORE_FIGURES = ("score", "standard_error", "rank", "human")
NO_HUMAN_SCORE = "the candidate has no human score"


@dataclass(frozen=True)
class ScoreRow:
    """The score of one candidate. human: people's score. undefined: field -> why it is None."""

    context: str
    candidate: str
    system: str | None
    score: float | None
    standard_error: float | None
    rank: float | None
    human: float | None
    undefined: Mapping[str, str]


@dataclass(frozen=True)
class SystemWinRate:
    """The share of a system's comparisons with other systems in which the judge prefers it."""

    system: str
    win_rate: IntervalFigure


@dataclass(frozen=True)
class ScoresReport:
    """The scores of the candidates of a run; docs/reference/report.md says what each number is.

    bias: "raw", "debiased" or "averaged": what was done about the order of candidates.
    """

    run: Unwritten[Run]
    ranking: Unwritten[str]
    bias: Unwritten[str]
    scores: list[ScoreRow]
    systems: Annotated[list[SystemWinRate], Help("Empty where the dataset names fewer than two systems.")]
    without: Annotated[IfAny[LeftOutParts], Help("What is left out, by the report or by the run.")] = None


def scores_of(
    run: Run,
    choice: ReportChoice = USUAL_CHOICE,
    *,
    ranking: Annotated[
        str | None,
        Option(
            f"The ranking. A run that scores has only: {SCORE}.",
            "Ranking",
            if_none=DEFAULT_RANKING,
            choices={**RANKING_TITLES, SCORE: SCORE},
        ),
    ] = None,
    debias: Annotated[bool, Option("Debias by the threshold or the shifts of the run.", "debiased")] = False,
    average_orders: Annotated[bool, Option("Use the mean of both orders of each pair.", "orders averaged")] = False,
) -> ScoresReport:
    """Print the score, standard error, rank and human score of every candidate, and the win rate of each system.

    Contexts without a record in the run are left out.
    Raises Refused for a ranking that the run does not have, and for an exclusion of unknown names.
    """
    ranking = ranking or (SCORE if run.is_scoring else DEFAULT_RANKING)
    _require_ranking(run, ranking, debias=debias, average_orders=average_orders)
    sources, exclusion = Sources.of_run(run, choice), choice.exclusion
    key = ("scores", states_of([run])[run.pk], ranking, debias, average_orders, exclusion)
    rows = cached(key, lambda: list(_scores(sources, run, ranking, debias=debias, average_orders=average_orders)))
    rates = system_win_rates(run, debias=debias, average_orders=average_orders, exclusion=exclusion)
    bias = "debiased" if debias else "averaged" if average_orders else "raw"
    return ScoresReport(run, ranking, bias, rows, [SystemWinRate(*one) for one in rates.items()], sources.left_out)


def _scores(sources: Sources, run: Run, ranking: str, *, debias: bool, average_orders: bool) -> Iterator[ScoreRow]:
    table, answers = sources.table, sources.answers(run)
    scores = _ranked(answers, ranking, debias=debias, average_orders=average_orders)
    human = sources.people(run.attribute).human.scores
    for one in ranked_scores(scores, table.contexts, np.flatnonzero(answers.recorded[table.contexts])):
        people = None if np.isnan(human[one.candidate]) else float(human[one.candidate])
        yield ScoreRow(
            context=table.context_keys[table.contexts[one.candidate]],
            candidate=table.keys[one.candidate],
            system=table.systems[one.candidate] or None,
            score=one.score,
            standard_error=one.standard_error,
            rank=one.rank,
            human=people,
            undefined={**one.undefined, **({"human": NO_HUMAN_SCORE} if people is None else {})},
        )


def _ranked(answers: Answers, ranking: str, *, debias: bool, average_orders: bool) -> Scores | str:
    """Return the scores, or the reason why this run has none by this ranking."""
    if answers.values is not None:
        return Scores.of_values(answers.values)
    if average_orders:
        return value_or_why(lambda: score(ranking, mean_of_both_orders(answers.comparisons)))
    return score_or_why(ranking, answers.comparisons, Debiasing.of_run(answers.comparisons) if debias else None)


def _require_ranking(run: Run, ranking: str, *, debias: bool, average_orders: bool) -> None:
    known = [SCORE] if run.is_scoring else list(RANKINGS)
    if ranking not in known:
        raise Refused(f'ranking: run {run.pk} has no ranking "{ranking}"; there are: {", ".join(known)}')
    if debias and average_orders:
        raise Refused("debias: the mean of both orders has no position bias left to remove; choose one of the two")
    if (debias or average_orders) and known == [SCORE]:
        raise Refused(f"debias: run {run.pk} scores candidates one by one, so there is no position bias to remove")


def scores_long_form(report: ScoresReport) -> LongForm:
    """Return the numbers of every candidate, then the win rate of every system.

    variant: the ranking, and how position bias was removed; a win rate has no ranking.
    """
    named = names_of(RunName.of(report.run))
    form = LongForm(
        lambda: chain(
            ({**named, "variant": f"{report.ranking}.{report.bias}", **line} for line in _lines_of_candidates(report)),
            ({**named, "variant": report.bias, **line} for line in _lines_of_systems(report)),
        ),
        CANDIDATE_COLUMNS,
    )
    return with_left_out(form, report.without)


def _lines_of_candidates(report: ScoresReport) -> Iterator[Line]:
    for row in report.scores:
        names = {name: getattr(row, name) for name in CANDIDATE_COLUMNS}
        for figure in SCORE_FIGURES:
            yield {**names, "figure": figure, "value": getattr(row, figure), "undefined": row.undefined.get(figure)}


def _lines_of_systems(report: ScoresReport) -> Iterator[Line]:
    for one in report.systems:
        yield {"system": one.system, "figure": "win_rate", **as_json(one)["win_rate"]}
