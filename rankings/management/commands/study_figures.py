"""`study_figures`: the charts and the table of one tab of a study, as numbers."""

from typing import Any

from django.core.management.base import CommandParser

from evenhand.report_json import as_json
from judging.management.rows_by_name import get_study
from judging.web.options import add_option_arguments
from rankings.management.report_command import PRINTED_FORMATS, ReportCommand
from rankings.studies.charts.chart_request import CHART_TABS, chart_options
from rankings.studies.charts.tab_figures import MadeTab, made_tab
from rankings.studies.study_choice import runs_of_study
from rankings.tables.table import TableStyle


class Command(ReportCommand):
    help = (
        "Print the table of one tab of a study's page; with --json, its charts too (docs/reference/studies.md). "
        "The tab Table is the command study. A tab refuses options that it does not have."
    )
    examples = (
        "study_figures SummEval --tab systems --ranking win-ratio",
        "study_figures SummEval --tab curves --attribute coherence --debias --json",
    )
    takes_json = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME", help="name of the study")
        parser.add_argument("--tab", required=True, choices=[*CHART_TABS], help="the tab")
        add_option_arguments(parser, chart_options())
        self.add_format_arguments(parser)

    def run(self, options: dict[str, Any]) -> MadeTab:
        self.options = options
        study = get_study(options["name"])
        names = [option.name for option in chart_options()]
        values = {name: options[name] for name in names if options[name] not in (None, False)}
        return made_tab(options["tab"], values, study, runs_of_study(study))

    def json_of(self, result: MadeTab) -> object:
        return as_json(result.figures)

    def show(self, result: MadeTab) -> None:
        """Print the table for people, or as one of the formats."""
        figures = result.figures
        style = TableStyle(caption=f"{figures.study}: {figures.title}", label=f"tab:{figures.tab}")
        is_for_people = not any(self.options.get(name) for name in PRINTED_FORMATS)
        if is_for_people and figures.undefined:
            self.note(f"nothing to draw: {figures.undefined}")
        self.write_table(result.table, style, self.options)
        for line in filter(None, [figures.sentence, *figures.notes] * is_for_people):
            self.stdout.write(line)
