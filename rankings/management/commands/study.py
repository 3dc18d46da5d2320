"""`study`: the pivot table of a study, and collecting runs into it."""

from dataclasses import dataclass, replace
from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction

from judging.management.rows_by_name import get_run, get_study
from judging.models import Study
from judging.models.datasets import DEVELOPMENT, TEST
from judging.models.studies_and_reports import part_warnings
from judging.services.names import row_of_name
from judging.services.studies.study_changes import add_runs, create_study, set_parts
from judging.web.options import add_option_arguments, options_in_arguments
from rankings.management.report_command import ReportCommand
from rankings.report.answer_options import chosen_style
from rankings.studies.pivots.pivot import pivot_of
from rankings.studies.pivots.pivot_choice import PivotChoice
from rankings.studies.pivots.pivot_figures import pivot_figure
from rankings.studies.pivots.pivot_source import RunParts, parts_of_runs
from rankings.studies.pivots.pivot_table import figure_title
from rankings.studies.study_choice import runs_of_study, study_choice
from rankings.studies.study_page import LOOKS, STUDY_OPTIONS, study_style, study_table
from rankings.tables.table import TableStyle


@dataclass(frozen=True, slots=True)
class StudyTable:
    """The report rows of a study, and the table to make from them."""

    parts: list[RunParts]
    choice: PivotChoice
    style: TableStyle
    has_references: bool


class Command(ReportCommand):
    help = (
        "Print one figure of the runs of a study, by any dimensions as rows and columns "
        "(docs/reference/studies.md). --add-run collects runs, into a new study if there is none of this name."
    )
    examples = (
        "study LLMBar --add-run 7 --add-run 8",
        "study LLMBar --rows judge,prompt --columns subset --figure accuracy --group Adversarial=Manual,Neighbor",
        "study SummEval --rows judge --columns attribute --figure spearman --ranking win-ratio --debias --latex",
        "study LLMBar --preset prepair-llmbar --markdown",
    )
    takes_json = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME", help="name of the study")
        parser.add_argument(
            "--add-run",
            type=int,
            action="append",
            default=[],
            dest="new_runs",
            metavar="RUN",
            help="number of a run to add; may be repeated",
        )
        parser.add_argument(
            "--part", choices=("all", DEVELOPMENT, TEST), help="from now on, report on this part of split datasets"
        )
        parser.add_argument(
            "--chosen-in",
            metavar="STUDY",
            help="name of the study in which prompts and judges were chosen; it may not report on the same contexts",
        )
        self.add_format_arguments(parser)
        add_option_arguments(parser, STUDY_OPTIONS)

    @transaction.atomic
    def run(self, options: dict[str, Any]) -> StudyTable:
        self.options = options
        study = study_of(options["name"], options["new_runs"])
        read = options_in_arguments(options, STUDY_OPTIONS)
        looks = {one.name: read.pop(one.name) for one in LOOKS}
        runs = runs_of_study(study)
        if options["part"] or options["chosen_in"]:
            part = {None: study.part, "all": ""}.get(options["part"], options["part"])
            chosen_in = get_study(options["chosen_in"]) if options["chosen_in"] else study.chosen_in
            set_parts(study, part=part, chosen_in=chosen_in)
        for warning in part_warnings(study, runs):
            self.note(warning)
        choice = study_choice(study, runs, **read)
        if read["group"] and not choice.reads_subsets:
            self.note("group: no row or column shows it; add --columns subset or --only subset=NAME")
        if not runs:
            self.note(f"the study has no runs yet; add some with: evenhand study '{study.name}' --add-run RUN")
        has_references, usual = looks.pop("references"), study_style(study, choice)
        parts = parts_of_runs(runs, choice, use_cache=False)
        return StudyTable(parts, choice, chosen_style(usual, **looks), has_references)

    def json_of(self, result: StudyTable) -> object:
        return super().json_of(pivot_of(result.parts, result.choice))

    def show(self, result: StudyTable) -> None:
        """Print the table for people, or as one of the formats."""
        table = study_table(result.parts, result.choice, has_references=result.has_references).table
        title = figure_title(pivot_figure(result.choice.figure), result.choice)
        self.write_table(replace(table, notes=(title, *table.notes)), result.style, self.options)


def study_of(name: str, new_runs: list[int]) -> Study:
    """Return the study of a name with new runs added. A new one is created for runs.

    Raises Refused for an unknown run, and for an unknown name without runs to add.
    """
    runs = [get_run(pk) for pk in dict.fromkeys(new_runs)]
    if runs and row_of_name(Study.objects.all(), name, None) is None:
        return create_study(name, runs=runs)
    study = get_study(name)
    add_runs(study, runs)
    return study
