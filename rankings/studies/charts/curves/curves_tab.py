"""The tab of ranking curves: its charts and the table of efficiency."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from evenhand.numerics import CURVE_RANKINGS, CURVE_SELECTIONS, DEFAULT_RANKING
from evenhand.options import Option
from judging.models import HumanScore, Run, Vote
from rankings.curves.curve_choice import DEBIASED, RAW, CurveChoice
from rankings.report.number_text import ranking_title
from rankings.studies.charts.chart_tab import ChartTab, Slider, named_charts
from rankings.studies.charts.chosen_runs import ChosenRuns, Debias
from rankings.studies.charts.curves.curves import CurveOfRun, curve_charts, curves_of_runs, panels_of_curves
from rankings.studies.charts.curves.efficiency_table import (
    efficiency_sentence,
    efficiency_table,
    ends_of_budgets,
    usual_budget,
)

LARGEST_BUDGET = 1_000_000
CURVE_MEASURE_TITLES = {"spearman": "Spearman", "accuracy": "accuracy of the ranking"}
MEASURE_AXES = {"spearman": "Spearman’s correlation per context", "accuracy": "Accuracy of the ranking"}


def curves_tab(
    chosen: ChosenRuns,
    *,
    ranking: Annotated[
        str,
        Option("Of the curves.", "Ranking", choices={name: ranking_title(name) for name in CURVE_RANKINGS}),
    ] = DEFAULT_RANKING,
    draw: Annotated[
        str,
        Option("The selection that draws comparisons.", "Drawn by", choices={name: name for name in CURVE_SELECTIONS}),
    ] = CURVE_SELECTIONS[0],
    measure: Annotated[
        str | None,
        Option("Default: spearman where people gave scores.", "Measured by", choices=CURVE_MEASURE_TITLES),
    ] = None,
    debias: Debias = False,
    budget: Annotated[
        int | None,
        Option("Comparisons per context at which curves are read.", "Budget", low=1, high=LARGEST_BUDGET),
    ] = None,
    people: Annotated[bool, Option("With the curve of human votes.", "Human votes")] = False,
) -> ChartTab:
    """Draw the ranking curves, with the table of their efficiency."""
    measure = measure or ("spearman" if _has_scores(chosen) else "accuracy")
    choice = chosen_curves(
        chosen,
        rankings=(ranking,),
        selections=(draw,),
        biases=(DEBIASED if debias else RAW,),
        people=people,
        measure=measure,
    )
    runs, curves = chosen.runs, curves_of_runs(chosen.runs, chosen.names, choice)
    fewest, most = ends_of_budgets(curves)
    budget = budget or usual_budget(curves)
    panels = panels_of_curves(curves, chosen.names)
    subject = f"{ranking_title(ranking)}, {'debiased' if debias else 'raw'}, {draw} pairs"
    charts = curve_charts(curves, panels, measure=MEASURE_AXES[measure], budget=budget, subject=subject)
    table = efficiency_table(curves, measure=measure, budget=budget)
    label = "Budget" if budget is None else f"Budget: {budget:,} of {most:,} per context"
    return ChartTab(
        name="curves",
        title=f"Efficiency: {subject}",
        definition="curves/",
        sentence=efficiency_sentence(table, measure=measure),
        charts=named_charts([panel.title for panel in panels], charts),
        table=table,
        empty="" if charts else why_no_curve(curves),
        notes=curve_notes(curves, len(runs) - len(curves)),
        usual={"measure": measure, "budget": budget},
        sliders={"budget": Slider(fewest, most, label)},
    )


def chosen_curves(chosen: ChosenRuns, **settings: Any) -> CurveChoice:  # noqa: ANN401 - fields of the choice
    """Return the curves of the subset and the answers that count."""
    answers, subsets = chosen.rows.answers, chosen.subsets
    return CurveChoice(
        order=answers.order,
        subsets=None if subsets is None else tuple(sorted(subsets)),
        subsets_by=answers.subsets_by,
        **settings,
    )


def _has_scores(chosen: ChosenRuns) -> bool:
    """Return True if people scored an attribute of the study."""
    attributes = Run.objects.filter(pk__in=chosen.names).values("attribute")
    return HumanScore.objects.filter(attribute__in=attributes).exists()


def without_meaning_for_curves(runs: Sequence[Run]) -> tuple[str, ...]:
    """Return the options that mean nothing for some runs: those of votes, where people gave none."""
    votes = Vote.objects.in_figures().filter(attribute__in={run.attribute_id for run in runs})
    return ("unparsed",) if votes.exists() else ("unparsed", "people")


def why_no_curve(curves: list[CurveOfRun]) -> str:
    """Return the reasons why nothing is drawn."""
    reasons = dict.fromkeys(curve.undefined for curve in curves)
    return "; ".join(reasons) or "the chosen runs score candidates one by one, and a curve needs comparisons"


def curve_notes(curves: list[CurveOfRun], n_scoring: int) -> list[str]:
    """Return what a reader of the page should know."""
    notes = ["Values between computed budgets are interpolated. Bands: the middle 95\u202f% of the draws."]
    if n_scoring:
        notes.append(f"{n_scoring} of the runs score candidates one by one and have no curve.")
    if any(curve.people for curve in curves):
        notes.append("All curves of an attribute cover the contexts with enough human votes.")
    return notes
