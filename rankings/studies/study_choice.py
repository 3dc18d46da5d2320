"""`study_choice`: the pivot table that a command, a page or a request asks of a study."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from evenhand.numerics import DEFAULT_RANKING, RANKING_TITLES
from evenhand.numerics.correlation.coefficients import Level
from evenhand.options import Option
from judging.models import Exclusion, Run, Study
from judging.models.datasets import PART_FIELD
from judging.models.studies_and_reports import reads_part
from rankings.loading import subset_names
from rankings.report.answer_options import ANSWERS
from rankings.report.report_choice import SUBSET, Order, ReportChoice, SubsetGroup, Unparsed, group_problems
from rankings.studies.dimensions import DIMENSIONS, usual_dimensions
from rankings.studies.pivots.pivot_choice import Only, PivotChoice, parse_only
from rankings.studies.pivots.pivot_figures import PIVOT_FIGURES, USUAL_FIGURE, FigureChoice
from rankings.studies.presets import PRESETS, Preset, find_preset

_FIGURES = {name: one.title for name, one in PIVOT_FIGURES.items()}
_PRESETS = {name: one.title for name, one in PRESETS.items()}


def study_choice(
    study: Study,
    runs: Sequence[Run],
    *,
    rows: Annotated[
        str, Option(f"Dimensions, joined by commas: {', '.join(DIMENSIONS)}. Default: in what runs differ.")
    ] = "",
    columns: Annotated[str, Option("Likewise. Default: subset or attribute.")] = "",
    figure: Annotated[str, Option("Of the cells. Default: accuracy.", choices=_FIGURES)] = "",
    ranking: Annotated[str, Option("Of correlations. Default: bradley-terry.", choices=RANKING_TITLES)] = "",
    level: Annotated[Level | None, Option("Of correlations. Default: per_context.")] = None,
    debias: Annotated[bool | None, Option("The figure without position bias.")] = None,
    only: Annotated[tuple[str, ...], Option("DIMENSION=NAME: limit the table, for example attribute=coherence.")] = (),
    preset: Annotated[str, Option("A table of a paper. Other options overrule it.", choices=_PRESETS)] = "",
    order: Annotated[Order | None, ANSWERS["order"]] = None,
    unparsed: Annotated[Unparsed | None, ANSWERS["unparsed"]] = None,
    subsets_by: Annotated[str, Option("Field of contexts whose values are the subsets, such as turn.")] = SUBSET,
    group: Annotated[tuple[str, ...], Option("NAME=SUBSET,SUBSET: a further subset, pooled over these.")] = (),
    without_system: Annotated[tuple[str, ...], ANSWERS["without_system"]] = (),
    without_context: Annotated[tuple[str, ...], ANSWERS["without_context"]] = (),
) -> PivotChoice:
    """Return the pivot table of a study. runs: of the study. Raises Refused.

    What is not given is that of the preset, else the usual. Groups are added to those of the preset and of the study.
    """
    of_paper = find_preset(preset) if preset else None
    usual: Preset | ReportChoice = of_paper or ReportChoice()
    answers = ReportChoice(
        order=order or usual.order,
        unparsed=unparsed or usual.unparsed,
        groups=tuple(map(SubsetGroup.parse, group)),
        subsets_by=subsets_by,
        exclusion=Exclusion.of(systems=without_system, contexts=without_context),
    )
    limits: Only = tuple(map(parse_only, only))
    if reads_part(study, runs) and subsets_by == SUBSET:  # the figures of its part, unless a subset is named
        named = any(dimension == SUBSET for dimension, _ in limits)
        limits = limits if named else (*limits, (SUBSET, study.part))
        answers = replace(answers, subsets_by=PART_FIELD)
    of_rows, of_columns = usual_dimensions(
        runs,
        rows=_dimensions(rows) or (of_paper.rows if of_paper else ()),
        columns=_dimensions(columns) or (of_paper.columns if of_paper else ()),
    )
    chosen = _figure(figure, ranking, level, debias, None if figure else of_paper)
    choice = PivotChoice(of_rows, of_columns, chosen, limits, answers)
    choice.require_valid()
    groups = _groups(study, runs, answers, of_paper) if choice.reads_subsets else ()
    return replace(choice, answers=replace(answers, groups=groups))


def runs_of_study(study: Study) -> list[Run]:
    """Return the runs of a study in its order, with what pivot tables read of them."""
    runs = Run.objects.filter(memberships__study=study).order_by("memberships__position")
    return list(runs.select_related("dataset", "attribute", "judge"))


def _dimensions(text: str) -> tuple[str, ...]:
    return tuple(filter(None, (part.strip() for part in text.split(","))))


def _figure(figure: str, ranking: str, level: Level | None, debias: bool | None, preset: Preset | None) -> FigureChoice:
    """Return the chosen figure. preset: it gives the rest; None for a figure of the reader's own."""
    return FigureChoice(
        figure or (preset.figure if preset else USUAL_FIGURE.name),
        ranking or (preset.ranking if preset else "") or DEFAULT_RANKING,
        level or (preset.level if preset else None) or USUAL_FIGURE.level,
        bool(preset and preset.debiased) if debias is None else debias,
    )


def _groups(study: Study, runs: Sequence[Run], answers: ReportChoice, preset: Preset | None) -> tuple[SubsetGroup, ...]:
    """Return the groups of the answers, and those of study and preset that fit a dataset and have another name."""
    given = answers.groups
    offered = {
        group.name: group for group in map(SubsetGroup.parse, (*study.groups, *(preset.groups if preset else ())))
    }
    datasets = {run.dataset_id: run.dataset for run in runs}.values()
    by = answers.subsets_by
    subsets = [subset_names(dataset, subsets_by=by) for dataset in datasets] if offered else []
    fitting = [group for group in offered.values() if any(not group_problems([group], names) for names in subsets)]
    names = {group.name for group in given}
    return (*given, *(group for group in fitting if group.name not in names))
