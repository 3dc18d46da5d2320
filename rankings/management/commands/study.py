"""`study`: the pivot table of a study, and collecting runs into it."""

from dataclasses import dataclass
from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction

from evenhand.numerics.correlation.coefficients import LEVELS
from judging.management.rows_by_name import get_run, get_study
from judging.models import Study
from judging.models.datasets import DEVELOPMENT, TEST
from judging.models.study_parts import part_warnings
from judging.services.studies.study_changes import add_runs, create_study, set_parts
from rankings.management.report_command import ReportCommand
from rankings.studies.dimensions import DIMENSIONS
from rankings.studies.pivots.pivot import Pivot, pivot_of
from rankings.studies.pivots.pivot_choice import PivotChoice
from rankings.studies.pivots.pivot_figures import PIVOT_FIGURES
from rankings.studies.pivots.pivot_source import RunParts, parts_of_runs
from rankings.studies.pivots.pivot_table import pivot_table
from rankings.studies.presets import PRESETS
from rankings.studies.study_choice import options_given, runs_of_study, study_choice
from rankings.studies.study_page import with_references
from rankings.tables.table import INTERVAL_STYLES, Table, TableStyle


@dataclass(frozen=True, slots=True)
class StudyTable:
    """The report rows of a study, and the table to make from them."""

    parts: list[RunParts]
    choice: PivotChoice
    has_references: bool

    @property
    def table(self) -> Table:
        table = pivot_table(self.parts, self.choice)
        return with_references(table, self.parts, self.choice) if self.has_references else table

    @property
    def pivot(self) -> Pivot:
        return pivot_of(self.parts, self.choice)


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
        self.add_table_arguments(parser)
        self.add_answer_arguments(parser)
        parser.set_defaults(order=None, unparsed=None)
        self.add_style_arguments(parser)

    def add_table_arguments(self, parser: CommandParser) -> None:
        """Add the choices of the study's page."""
        table = parser.add_argument_group("the table")
        listed = f"dimensions, joined by commas: {', '.join(DIMENSIONS)}"
        table.add_argument("--rows", default="", metavar="DIMENSION", help=f"{listed} (default: in what runs differ)")
        table.add_argument("--columns", default="", metavar="DIMENSION", help="likewise (default: subset or attribute)")
        table.add_argument("--figure", default="", help=f"of the cells: {', '.join(PIVOT_FIGURES)} (default: accuracy)")
        table.add_argument("--ranking", default="", help="of correlations (default: bradley-terry)")
        table.add_argument(
            "--level",
            default=None,
            choices=LEVELS,
            help="of correlations (default: per_context)",
        )
        table.add_argument("--debias", action="store_const", const=True, help="the figure without position bias")
        table.add_argument(
            "--only",
            action="append",
            default=[],
            metavar="DIMENSION=NAME",
            help="limit the table, for example attribute=coherence; may be repeated",
        )
        table.add_argument(
            "--no-references", action="store_false", dest="references", help="leave out people and simple judges"
        )
        table.add_argument("--preset", default="", help=f"a table of a paper: {', '.join(PRESETS)}")

    def add_style_arguments(self, parser: CommandParser) -> None:
        style = parser.add_argument_group("the looks")
        style.add_argument("--digits", type=int, default=1, help="decimals of percentages; coefficients have two more")
        style.add_argument("--interval", choices=INTERVAL_STYLES, default="brackets", help="notation of intervals")
        style.add_argument("--caption", help="caption of the table (default: name of the study)")
        style.add_argument("--label", default="tab:study", help="for \\ref in LaTeX")

    @transaction.atomic
    def run(self, options: dict[str, Any]) -> StudyTable:
        self.options = options
        study = study_of(options["name"], options["new_runs"])
        caption = study.name if options["caption"] is None else " ".join(options["caption"].split())
        self.table_style = TableStyle(options["digits"], options["interval"], caption, options["label"])
        runs = runs_of_study(study)
        if options["part"] or options["chosen_in"]:
            part = {None: study.part, "all": ""}.get(options["part"], options["part"])
            chosen_in = get_study(options["chosen_in"]) if options["chosen_in"] else study.chosen_in
            set_parts(study, part=part, chosen_in=chosen_in)
        for warning in part_warnings(study, runs):
            self.note(warning)
        choice = study_choice(study, runs, options_given(options, self.answers_of))
        if options["groups"] and not choice.reads_subsets:
            self.note("group: no row or column shows it; add --columns subset or --only subset=NAME")
        if not runs:
            self.note(f"the study has no runs yet; add some with: evenhand study '{study.name}' --add-run RUN")
        return StudyTable(parts_of_runs(runs, choice, use_cache=False), choice, options["references"])

    def json_of(self, result: StudyTable) -> object:
        return super().json_of(result.pivot)

    def show(self, result: StudyTable) -> None:
        """Print the table for people, or as one of the formats."""
        self.write_table(result.table, self.table_style, self.options)


def study_of(name: str, new_runs: list[int]) -> Study:
    """Return the study of a name with new runs added. A new one is created for runs.

    Raises Refused for an unknown run, and for an unknown name without runs to add.
    """
    runs = [get_run(pk) for pk in dict.fromkeys(new_runs)]
    if runs and not Study.objects.filter(name=name).exists():
        return create_study(name, runs=runs)
    study = get_study(name)
    add_runs(study, runs)
    return study
