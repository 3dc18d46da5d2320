"""`study_choice`: the pivot table that a command, a page or a request asks of a study."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evenhand.numerics import DEFAULT_RANKING
from evenhand.numerics.correlation.coefficients import Level
from judging.models import Run, Study
from judging.models.datasets import PART_FIELD
from judging.models.study_parts import reads_part
from rankings.loading import subset_names
from rankings.report.report_choice import SUBSET, USUAL_CHOICE, ReportChoice, SubsetGroup, group_problems
from rankings.studies.dimensions import usual_dimensions
from rankings.studies.pivots.pivot_choice import Only, PivotChoice, parse_only
from rankings.studies.pivots.pivot_figures import USUAL_FIGURE, FigureChoice
from rankings.studies.presets import Preset, find_preset

READER_CHOICES = ("rows", "columns", "figure", "ranking", "level", "debias", "only", "preset")
"""Options of commands and queries that are choices of a reader."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyOptions:
    """The choices of a reader. Empty ones are those of the preset, else the usual ones.

    rows, columns: dimensions, joined by commas. only: texts DIMENSION=NAME. preset: a name.
    answers: its groups are added to those of the preset and of the study.
    """

    rows: str = ""
    columns: str = ""
    figure: str = ""
    ranking: str = ""
    level: Level | None = None
    debias: bool | None = None
    only: Sequence[str] = ()
    preset: str = ""
    answers: ReportChoice = USUAL_CHOICE


def study_choice(study: Study, runs: Sequence[Run], options: StudyOptions) -> PivotChoice:
    """Return the pivot table of a study that options ask for. runs: of the study. Raises Refused."""
    options = _on_part(study, runs, options)
    preset = find_preset(options.preset) if options.preset else None
    rows, columns = usual_dimensions(
        runs,
        rows=_dimensions(options.rows) or (preset.rows if preset else ()),
        columns=_dimensions(options.columns) or (preset.columns if preset else ()),
    )
    only: Only = tuple(map(parse_only, options.only))
    choice = PivotChoice(rows, columns, _figure(options, preset), only, options.answers)
    choice.require_valid()
    groups = _groups(study, runs, options, preset) if choice.reads_subsets else ()
    return replace(choice, answers=replace(options.answers, groups=groups))


def _on_part(study: Study, runs: Sequence[Run], options: StudyOptions) -> StudyOptions:
    """Limit the options to the part of the contexts on which the study reports, unless they name a subset."""
    if not reads_part(study, runs) or options.answers.subsets_by != SUBSET:
        return options
    limited = any(text.partition("=")[0].strip() == SUBSET for text in options.only)
    only = options.only if limited else (*options.only, f"{SUBSET}={study.part}")
    return replace(options, only=only, answers=replace(options.answers, subsets_by=PART_FIELD))


def options_given(options: Mapping[str, Any], answers_of: Callable[[dict[str, Any]], ReportChoice]) -> StudyOptions:
    """Return the choices of a command or query. answers_of: reads its answers. Raises Refused for an unknown preset.

    The order and the treatment of unparsed answers are as given, else the preset's, else the usual ones.
    """
    usual = find_preset(options["preset"]) if options["preset"] else USUAL_CHOICE
    answers = {name: options[name] or getattr(usual, name) for name in ("order", "unparsed")}
    return StudyOptions(**{name: options[name] for name in READER_CHOICES}, answers=answers_of({**options, **answers}))


def runs_of_study(study: Study) -> list[Run]:
    """Return the runs of a study in its order, with what pivot tables read of them."""
    runs = Run.objects.filter(memberships__study=study).order_by("memberships__position")
    return list(runs.select_related("dataset", "attribute", "judge"))


def _dimensions(text: str) -> tuple[str, ...]:
    return tuple(filter(None, (part.strip() for part in text.split(","))))


def _figure(options: StudyOptions, preset: Preset | None) -> FigureChoice:
    """Return the chosen figure. A figure of the reader's own takes nothing of the preset's."""
    of_preset = preset if preset and not options.figure else None
    debiased = bool(of_preset and of_preset.debiased) if options.debias is None else options.debias
    return FigureChoice(
        options.figure or (of_preset.figure if of_preset else USUAL_FIGURE.name),
        options.ranking or (of_preset.ranking if of_preset else "") or DEFAULT_RANKING,
        options.level or (of_preset.level if of_preset else None) or USUAL_FIGURE.level,
        debiased,
    )


def _groups(study: Study, runs: Sequence[Run], options: StudyOptions, preset: Preset | None) -> tuple[SubsetGroup, ...]:
    """Return the groups of the options, and those of study and preset that fit a dataset and have another name."""
    given = options.answers.groups
    offered = {
        group.name: group for group in map(SubsetGroup.parse, (*study.groups, *(preset.groups if preset else ())))
    }
    datasets = {run.dataset_id: run.dataset for run in runs}.values()
    by = options.answers.subsets_by
    subsets = [subset_names(dataset, subsets_by=by) for dataset in datasets] if offered else []
    fitting = [group for group in offered.values() if any(not group_problems([group], names) for names in subsets)]
    names = {group.name for group in given}
    return (*given, *(group for group in fitting if group.name not in names))
