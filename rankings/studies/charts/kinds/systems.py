"""The systems of a dataset, ranked by people and by each run of a study, with intervals and tiers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated

import numpy as np

from evenhand.numerics import DEFAULT_RANKING, RANKING_TITLES, Debiasing, Figure, Scores
from evenhand.numerics.arrays import FloatArray
from evenhand.numerics.reliability.system_ranks import SystemRank, system_ranks
from evenhand.options import Option
from judging.models import Run
from rankings.charts.dot_chart import LONGEST_NAME, LONGEST_NAME_ON_A_PHONE, fitting, interval_bars
from rankings.charts.line_chart import LEGEND
from rankings.charts.palette import PEOPLE
from rankings.charts.plotly_chart import Chart, Layout, Trace, figure
from rankings.report.printed_numbers import ranking_title
from rankings.report.report_rows import Sources
from rankings.report.rows_of_one_run import score_or_why
from rankings.studies.charts.chart_tab import NO_TABLE, ChartTab, named_charts
from rankings.studies.charts.chosen_runs import AnswersChoice, ChosenRuns, Debias
from rankings.studies.charts.panels import LineLooks, looks_of_lines, panel_name
from rankings.studies.charts.run_panels import RunPanel, in_sections, panels_of_runs, question_of, question_titles
from rankings.studies.measured_runs import cached_by_run
from rankings.tables.table import Column, Row, Table, TableStyle

_PEOPLE_LABEL = "People"
UNNAMED_SYSTEMS = "the texts of the dataset name no systems, or only one"
RANKS_NOTE = "Rank 1 is the best; bars: 95 % intervals over contexts."
_LINE_HEIGHT, _LEAST_ROW_HEIGHT, _LEGEND_HEIGHT = 13, 30, 24  # pixels
SystemsRanking = Annotated[str, Option("Orders the systems.", "Ranking", choices=RANKING_TITLES)]
_SPREAD = 0.64
"""The part of a row over which its dots are spread."""


@dataclass(frozen=True, slots=True)
class RankedSystems:
    """The ranks of the systems of a dataset by one run, and by people. undefined: why the run ranks none, or ""."""

    run: Run
    label: str
    by_run: Mapping[str, SystemRank]
    by_people: Mapping[str, SystemRank]
    undefined: str = ""

    @property
    def has_people(self) -> bool:
        return any(one.score is not None for one in self.by_people.values())


@dataclass(frozen=True, slots=True)
class _Ranks:
    """The ranks by a run and by people, by system."""

    by_run: Mapping[str, SystemRank]
    by_people: Mapping[str, SystemRank]
    undefined: str


def systems_tab(chosen: ChosenRuns, *, ranking: SystemsRanking = DEFAULT_RANKING, debias: Debias = False) -> ChartTab:
    """Draw the ranks of the systems by each run and by people."""
    answers = chosen.answers(debiased=debias)
    ranked = ranked_systems(chosen.runs, chosen.labels, answers, ranking=ranking)
    drawn = [one for one in ranked if not one.undefined]
    panels = panels_of_runs([one.run for one in drawn], chosen.names, {})
    charts = system_charts(drawn, panels)
    reasons = list(dict.fromkeys(one.undefined for one in ranked if one.undefined))
    return ChartTab(
        name="systems",
        title=f"Ranks of systems, {ranking_title(ranking)}, {'debiased' if debias else 'raw'}",
        definition="studies/#systems",
        sentence=best_systems_sentence(ranked),
        charts=named_charts([panel.title for panel in panels], charts),
        table=ranks_table(drawn) if drawn else NO_TABLE,
        usual_sort="none",
        empty="" if charts else "; ".join(reasons),
        style=TableStyle(interval="brackets"),
        notes=[f"{len(ranked) - len(drawn)} of the runs rank no systems: {'; '.join(reasons)}."]
        * bool(drawn and reasons),
    )


def ranked_systems(
    runs: Sequence[Run], labels: Mapping[int, str], choice: AnswersChoice, *, ranking: str
) -> list[RankedSystems]:
    """Return the ranks of each run, from the cache or computed. ranking: of runs that compare."""
    ranked = partial(_ranks, choice=choice, ranking=ranking)
    ranks = cached_by_run("system-ranks", runs, choice.answers, (choice.key, ranking), ranked)
    return [RankedSystems(run, labels[run.pk], one.by_run, one.by_people, one.undefined) for run, one in ranks.items()]


def _ranks(sources: Sources, run: Run, choice: AnswersChoice, ranking: str) -> _Ranks:
    own = sources.without(run.exclusion)
    table, answers = own.table, own.answers(run)
    names = list(dict.fromkeys(filter(None, table.systems)))
    if len(names) < 2:
        return _Ranks({}, {}, UNNAMED_SYSTEMS)
    contexts = np.ones(table.n_contexts, dtype=bool)
    if choice.subsets is not None:
        contexts = np.array([one in choice.subsets for one in table.subsets], dtype=bool)
    comparisons = answers.comparisons.of_contexts(contexts)
    debiasing = Debiasing.of_run(answers.comparisons) if choice.debiased else None
    scores = Scores.of_values(answers.values) if answers.values is not None else None
    ranked = scores or score_or_why(ranking, comparisons, debiasing)
    if isinstance(ranked, str):
        return _Ranks({}, {}, ranked)
    numbers = {name: number for number, name in enumerate(names)}
    systems = np.array([numbers.get(name, -1) for name in table.systems], dtype=np.intp)
    counted = (contexts & answers.recorded)[table.contexts]

    def ranks_of(values: FloatArray) -> dict[str, SystemRank]:
        of_systems = system_ranks(np.where(counted, values, np.nan), systems, table.contexts, n_systems=len(names))
        return dict(zip(names, of_systems, strict=True))

    return _Ranks(ranks_of(ranked.values), ranks_of(own.people(run.attribute).human.scores), "")


def systems_in_order(ranked: Sequence[RankedSystems]) -> list[str]:
    """Return the systems of some runs of one question: by people where they gave scores, else by the first run."""
    by = ranked[0].by_people if ranked[0].has_people else ranked[0].by_run
    names = list(dict.fromkeys(name for one in ranked for name in one.by_run))
    unranked = float(len(names) + 1)
    return sorted(names, key=lambda name: _rank_or(by.get(name), unranked))


def _rank_or(rank: SystemRank | None, otherwise: float) -> float:
    return otherwise if rank is None or rank.rank.value is None else rank.rank.value


def system_charts(ranked: Sequence[RankedSystems], panels: Sequence[RunPanel]) -> list[Chart]:
    """Draw the rank of each system by each run, with its interval, and by people."""
    of_run = {one.run.pk: one for one in ranked}
    looks = looks_of_lines(panels, {run: one.label for run, one in of_run.items()})
    return [
        _chart([of_run[run.pk] for run in panel.runs], of_panel, panel, name=panel_name("systems", number, len(panels)))
        for number, (panel, of_panel) in enumerate(zip(panels, looks, strict=True), start=1)
    ]


def _chart(ranked: Sequence[RankedSystems], looks: Sequence[LineLooks], panel: RunPanel, *, name: str) -> Chart:
    names = systems_in_order(ranked)
    lines = [(one.by_run, look) for one, look in zip(ranked, looks, strict=True)]
    if ranked[0].has_people:
        lines = [(ranked[0].by_people, LineLooks(_PEOPLE_LABEL, PEOPLE, "diamond-open", _PEOPLE_LABEL)), *lines]
    places = [_SPREAD * (number - (len(lines) - 1) / 2) / len(lines) for number in range(len(lines))]
    traces = [_dots(names, ranks, apart, look) for (ranks, look), apart in zip(lines, places, strict=True)]
    row_height = max(_LEAST_ROW_HEIGHT, _LINE_HEIGHT * (len(lines) + 1))
    layout: Layout = {
        "height": 110 + _LEGEND_HEIGHT + row_height * len(names),
        "margin": {"b": 60 + _LEGEND_HEIGHT},
        "xaxis": {"title": "Rank", "range": [0.5, len(names) + 0.5], "tickformat": "d"},
        "yaxis": {
            "tickvals": list(range(len(names))),
            "ticktext": fitting(names, LONGEST_NAME),
            "range": [len(names) - 0.5, -0.5],
        },
        "showlegend": True,
        "legend": LEGEND,
    }
    narrow = {"xaxis": {"nticks": 5}, "yaxis": {"ticktext": fitting(names, LONGEST_NAME_ON_A_PHONE)}}
    return figure(
        traces, layout, name=name, note=f"{panel.title}. {RANKS_NOTE}" if panel.title else RANKS_NOTE, narrow=narrow
    )


def _dots(names: Sequence[str], ranks: Mapping[str, SystemRank], apart: float, look: LineLooks) -> Trace:
    drawn = [
        (place, name, ranks[name].rank)
        for place, name in enumerate(names)
        if name in ranks and ranks[name].rank.value is not None
    ]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": look.name,
        "x": [one.value for _, _, one in drawn],
        "y": [place + apart for place, _, _ in drawn],
        "text": [f"{name}, {look.series}" for _, name, _ in drawn],
        "marker": {"color": look.colour, "size": 8, "symbol": look.symbol},
        "error_x": interval_bars([one for _, _, one in drawn], color=look.colour, thickness=1.5, width=3),
        "hovertemplate": "rank %{x}<extra>%{text}</extra>",
    }


def ranks_table(ranked: Sequence[RankedSystems]) -> Table:
    """Return a row for each system: its rank and tier by people and by each run. Questions are sections."""
    labels = list(dict.fromkeys(one.label for one in ranked))
    has_people = any(one.has_people for one in ranked)
    columns = [column for label in [_PEOPLE_LABEL] * has_people + labels for column in _columns(label)]
    rows: list[Row] = []
    for question, title in question_titles([one.run for one in ranked]).items():
        of_question = [one for one in ranked if question_of(one.run) == question]
        rows += [
            Row((title, name), tuple(_cells(name, of_question, labels, has_people=has_people)))
            for name in systems_in_order(of_question)
        ]
    return in_sections("Attribute", "System", columns, rows)


def _columns(label: str) -> list[Column]:
    column = partial(Column, group=label, lowest_first=True, definition="studies/#systems")
    return [
        column(name=f"{label}.rank", title="rank", kind="number"),
        column(name=f"{label}.tier", title="tier", kind="count", parts=()),
    ]


def _cells(
    name: str, ranked: Sequence[RankedSystems], labels: Sequence[str], *, has_people: bool
) -> list[Figure | None]:
    by_label = {one.label: one for one in ranked}
    sources = [ranked[0].by_people] if has_people else []
    sources += [by_label[label].by_run if label in by_label else {} for label in labels]
    return [cell for ranks in sources for cell in _pair_of_cells(ranks.get(name))]


def _pair_of_cells(rank: SystemRank | None) -> tuple[Figure | None, Figure | None]:
    """Return the rank and the tier; None where the run has no such system."""
    if rank is None:
        return None, None
    if rank.tier is None:
        return rank.rank, Figure.missing(rank.rank.undefined or "")
    return rank.rank, Figure(float(rank.tier))


def best_systems_sentence(ranked: Sequence[RankedSystems]) -> str:
    """Write the best systems by people and how many runs find the same; without people, those of the first run."""
    drawn = [one for one in ranked if not one.undefined]
    if not drawn:
        return ""
    first = [one for one in drawn if question_of(one.run) == question_of(drawn[0].run)]
    tiers = {one.label: _first_tier(one.by_run) for one in first}
    if not drawn[0].has_people:
        best = tiers[drawn[0].label]
        return f"By {drawn[0].label}, {_top_tier(best)}." if best else ""
    by_people = _first_tier(drawn[0].by_people)
    if not by_people or not any(tiers.values()):
        return ""
    return f"By human scores, {_top_tier(by_people)}. {_runs_with_this_tier(tiers, by_people)}"


def _runs_with_this_tier(tiers: Mapping[str, Sequence[str]], by_people: Sequence[str]) -> str:
    """Write how many runs have the top tier of people, and which. tiers: label of a run -> its top tier."""
    same = [label for label, tier in tiers.items() if set(tier) == set(by_people)]
    if len(tiers) == 1:
        [(label, tier)] = tiers.items()
        return f"{label} has the same top tier." if same else f"By {label}, {_top_tier(tier)}."
    if not same:
        return f"None of {len(tiers)} runs has the same top tier."
    return f"{len(same)} of {len(tiers)} runs {'has' if len(same) == 1 else 'have'} the same top tier: {_listed(same)}."


def _top_tier(systems: Sequence[str]) -> str:
    if not systems:
        return "no system has a tier"
    return f"{_listed(systems)} form{'s' if len(systems) == 1 else ''} the top tier"


def _first_tier(ranks: Mapping[str, SystemRank]) -> list[str]:
    """Return the systems that no other is significantly better than, best first."""
    best_first = sorted(ranks, key=lambda name: _rank_or(ranks[name], float(len(ranks) + 1)))
    return [name for name in best_first if ranks[name].tier == 1]


def _listed(names: Sequence[str], *, most: int = 3) -> str:
    """Write the first names, and how many others there are. One other is named."""
    most += len(names) == most + 1
    shown = list(names[:most]) + ([f"{len(names) - most} others"] if len(names) > most else [])
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
