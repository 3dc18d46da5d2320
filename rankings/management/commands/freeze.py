"""`freeze`: write tables of a study as one HTML file, with methods and a certificate."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from evenhand.refusals import Refused
from evenhand.units import counted
from judging.management.command_files import replace_when_complete
from judging.management.evenhand_command import EvenhandCommand
from judging.management.rows_by_name import get_study
from judging.models.activity_and_looks import Act
from judging.services.activity import describe_row, note
from rankings.frozen.report_content import freeze, table_choice
from rankings.frozen.report_file import report_html
from rankings.studies.charts.chart_request import CHART_TABS, ChartQuery
from rankings.studies.study_choice import runs_of_study


class Command(EvenhandCommand):
    help = (
        "Write tables of a study as one HTML file that opens without a server, with its data, methods and a "
        "certificate. The command verify_report makes it again and compares every byte."
    )
    examples = (
        "freeze LLMBar --output llmbar.html --chart bias --chart coverage",
        "freeze SummEval --output summeval.html --table 'rows=judge&columns=attribute&figure=spearman'",
    )
    takes_json = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME", help="name of the study")
        parser.add_argument("--output", type=Path, required=True, metavar="FILE", help="file to write, FILE.html")
        parser.add_argument(
            "--table",
            action="append",
            default=[],
            dest="tables",
            metavar="PARAMETERS",
            help="a table, by the parameters of its page's address; may be repeated (default: the usual table)",
        )
        parser.add_argument(
            "--chart",
            action="append",
            default=[],
            dest="charts",
            metavar="TAB?PARAMETERS",
            help=f"charts, by the address of their tab ({', '.join(CHART_TABS)}); may be repeated",
        )

    def run(self, options: dict[str, Any]) -> None:
        study, output = get_study(options["name"]), options["output"]
        if output.suffix != ".html":
            raise Refused(f'output: "{output}" does not end in .html')
        runs = runs_of_study(study)
        choices = [table_choice(query, study, runs) for query in options["tables"] or [""]]
        charts = list(map(ChartQuery.parse, options["charts"]))
        freezing = freeze(study, runs, choices, charts)
        with replace_when_complete(output) as part:
            part.write_text(report_html(freezing), encoding="utf-8")
            note(Act.DOWNLOAD, f"{describe_row(study)}: frozen report")
        n_charts = f", {counted(len(charts), 'chart')}" if charts else ""
        n_runs = counted(len(freezing.content.certificate.runs), "run")
        self.note(f"{output}: {counted(len(choices), 'table')}{n_charts} of {n_runs}")
