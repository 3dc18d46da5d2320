"""The HTTP API of reports: the JSON, tables and long form of the command `report`."""

from collections.abc import Sequence
from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evenhand.options import Option, options_of, values_for
from evenhand.report_json import as_json
from judging.models import Dataset, Run
from judging.models.runs import RunQuerySet
from judging.web.api_files import FilesOrJson
from judging.web.api_input import options_in_query, request_of
from judging.web.downloads import attachment
from judging.web.report_schema import serializer_of
from judging.web.visible_rows import visible_dataset, visible_run, visible_runs
from rankings.report.answer_options import ANSWERS, chosen_answers, chosen_style, chosen_table
from rankings.report.api_files import LONG, TABLE, responses_of
from rankings.report.long_lines import report_long_form
from rankings.report.prompt_means import PromptMean, means_long_form, means_over_prompts, table_of_choice
from rankings.report.report_columns import DATASET_COLUMNS, RUN_COLUMNS
from rankings.report.report_row import ReportRow
from rankings.report.report_rows import report_rows
from rankings.report.report_table import paper_style
from rankings.tables.formats import TABLE_FORMATS
from rankings.tables.long_form import long_attachment

LARGEST_KEY = 2**63 - 1


class ReportSerializer(serializers.Serializer[Any]):
    """One row per run and subset; docs/reference/report.md says what each figure is."""

    rows = serializer_of(ReportRow)(many=True)
    means = serializer_of(PromptMean)(many=True, required=False)


RUNS_OF_DATASET = Option(
    "Only these runs.", name="run", kind=int, takes_several=True, low=1, high=LARGEST_KEY, default=()
)
ATTRIBUTE = Option("Only runs on this attribute.", name="attribute", default="")
OVER_PROMPTS = Option(
    "Add `means`: every figure over runs that differ in the prompt only. `table` and `long` have these.",
    name="over_prompts",
    kind=bool,
    default=False,
)
RUN_REPORT = (*ANSWERS.values(), TABLE, LONG, *options_of(chosen_table), *options_of(chosen_style))
DATASET_REPORT = (RUNS_OF_DATASET, ATTRIBUTE, OVER_PROMPTS, *RUN_REPORT)


class DatasetReport(APIView):
    content_negotiation_class = FilesOrJson

    @extend_schema(
        parameters=[request_of(DATASET_REPORT, name="DatasetReportOptions")],
        responses=responses_of(ReportSerializer, *TABLE_FORMATS),
    )
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        """Return the report of the runs of a dataset that you may see, or their table, or the long form."""
        dataset = visible_dataset(request, pk)
        options = options_in_query(request, DATASET_REPORT)
        chosen = runs_to_report(visible_runs(request).filter(dataset=dataset), options["run"], options["attribute"])
        rows = report_rows(dataset, runs=chosen, choice=chosen_answers(**values_for(chosen_answers, options)))
        return answer(chosen, rows, options, dataset=dataset, columns=DATASET_COLUMNS)


def runs_to_report(runs: RunQuerySet, numbers: Sequence[int], attribute: str = "") -> list[Run]:
    """Return the runs of these numbers, on one attribute or all; without numbers, those without an added sentence."""
    chosen = runs.filter(pk__in=numbers) if numbers else runs.ordinary()
    return list((chosen.filter(attribute__name=attribute) if attribute else chosen).order_by("pk"))


class RunReport(APIView):
    content_negotiation_class = FilesOrJson

    @extend_schema(
        parameters=[request_of(RUN_REPORT, name="RunReportOptions")],
        responses=responses_of(ReportSerializer, *TABLE_FORMATS),
    )
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        """Return the report of one run, `all` and then its subsets, or their table, or the long form."""
        run = visible_run(request, pk)
        options = options_in_query(request, RUN_REPORT)
        rows = report_rows(run.dataset, runs=[run], choice=chosen_answers(**values_for(chosen_answers, options)))
        return answer([run], rows, options, dataset=run.dataset, columns=RUN_COLUMNS, of_run=run)


def answer(
    runs: Sequence[Run],
    rows: list[ReportRow],
    options: dict[str, Any],
    *,
    dataset: Dataset,
    columns: tuple[str, ...],
    of_run: Run | None = None,
) -> HttpResponseBase:
    """Send report rows as the options say. columns: the usual ones. Raises Refused."""
    name = f"run-{of_run.pk}" if of_run else dataset.name
    over_prompts = options.get("over_prompts", False)
    if options["long"]:
        form = means_long_form(means_over_prompts(runs, rows)) if over_prompts else report_long_form(rows)
        return long_attachment(form, name=name, ending=options["long"])
    if not options["table"]:
        means = {"means": as_json(means_over_prompts(runs, rows))} if over_prompts else {}
        return Response({"rows": as_json(rows), **means})
    choice = chosen_table(rows, columns, over_prompts, **values_for(chosen_table, options))
    table = table_of_choice(rows, choice, runs=runs)
    style = chosen_style(paper_style(table, dataset, of_run), **values_for(chosen_style, options))
    content = TABLE_FORMATS[options["table"]].write(table, style)
    return attachment([content], name=f"{name}.{options['table']}")
