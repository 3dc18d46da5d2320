"""The HTTP API of reports: the JSON, tables and long form of the command `report`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evenhand.numerics import DEFAULT_RANKING, RANKING_TITLES
from evenhand.report_json import as_json
from judging.models import Exclusion, Run
from judging.web.api_input import RequestSerializer, query_options
from judging.web.downloads import attachment
from judging.web.negotiation import FilesOrJson
from judging.web.report_serializers import serializer_of
from judging.web.visible_rows import visible_dataset, visible_run, visible_runs
from rankings.report.api_files import LongFormSerializer, responses_of
from rankings.report.long_lines import report_long_form
from rankings.report.over_prompts.prompt_means import PromptMean, means_long_form, means_over_prompts
from rankings.report.over_prompts.prompt_means_table import table_of_choice
from rankings.report.pages.dataset_page import people as people_of
from rankings.report.pages.run_page import overall
from rankings.report.report_choice import (
    ORDERS,
    SUBSET,
    UNPARSED,
    ReportChoice,
    SubsetGroup,
)
from rankings.report.report_columns import COLUMNS, DATASET_COLUMNS, NAMES, RUN_COLUMNS
from rankings.report.report_row import ReportRow
from rankings.report.report_rows import report_rows
from rankings.report.report_table import TableChoice, caption_of, checked
from rankings.tables.formats import TABLE_FORMATS
from rankings.tables.long_form import long_attachment
from rankings.tables.table import INTERVAL_STYLES, LABEL, MOST_DIGITS, TableStyle

LARGEST_KEY = 2**63 - 1


class ReportSerializer(serializers.Serializer[Any]):
    """One row per run and subset; docs/reference/report.md says what each figure is."""

    rows = serializer_of(ReportRow)(many=True)
    means = serializer_of(PromptMean)(many=True, required=False)


class RunsSerializer(RequestSerializer):
    run = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=LARGEST_KEY), default=list, help_text="Only these runs."
    )


class LeftOutSerializer(RequestSerializer):
    without_system = serializers.ListField(
        child=serializers.CharField(), default=list, help_text="Leave out these systems, as if the dataset lacked them."
    )
    without_context = serializers.ListField(
        child=serializers.CharField(), default=list, help_text="Leave out these contexts."
    )


def exclusion_in(options: dict[str, Any]) -> Exclusion:
    """Take the names to leave out from the options of a query."""
    return Exclusion.of(systems=options.pop("without_system"), contexts=options.pop("without_context"))


class OrderSerializer(LeftOutSerializer):
    order = serializers.ChoiceField(
        list(ORDERS), default="both", help_text="given: only comparisons in the dataset's order of candidates."
    )


class SubsetsSerializer(RequestSerializer):
    subsets_by = serializers.CharField(
        default=SUBSET, help_text="The field of contexts whose values are the subsets, such as turn."
    )


class ChoiceSerializer(OrderSerializer, SubsetsSerializer):
    """The answers from which figures are computed."""

    unparsed = serializers.ChoiceField(
        list(UNPARSED),
        default="excluded",
        help_text="wrong: unparsed answers and errors count as wrong in every accuracy.",
    )
    group = serializers.ListField(
        child=serializers.CharField(),
        default=list,
        help_text="NAME=SUBSET,SUBSET: a further row, pooled over these subsets.",
    )


class TableSerializer(ChoiceSerializer, LongFormSerializer):
    """The choices of the results page, and the looks of a table."""

    table = serializers.ChoiceField(list(TABLE_FORMATS), required=False, help_text="Send the table of the page.")
    column = serializers.ListField(child=serializers.ChoiceField([*NAMES, *COLUMNS]), default=list)
    subset = serializers.ListField(child=serializers.CharField(), default=list, help_text="Default: all rows.")
    ranking = serializers.ChoiceField(list(RANKING_TITLES), default=DEFAULT_RANKING)
    sort = serializers.ChoiceField(list(COLUMNS), default="", help_text="Highest first; default: order of the runs.")
    digits = serializers.IntegerField(
        min_value=0, max_value=MOST_DIGITS, default=1, help_text="Decimals of percentages."
    )
    interval = serializers.ChoiceField(INTERVAL_STYLES, default="brackets")
    caption = serializers.CharField(required=False)
    label = serializers.RegexField(LABEL, default="tab:agreement")  # type: ignore[assignment]


class ReportOptionsSerializer(RunsSerializer, TableSerializer):
    attribute = serializers.CharField(default="", help_text="Only runs on this attribute.")
    over_prompts = serializers.BooleanField(
        default=False,
        help_text="Add `means`: every figure over runs that differ in the prompt only. `table` and `long` have these.",
    )


def report_choice_of(options: dict[str, Any]) -> ReportChoice:
    """Return the choice of answers, by those options that the query has. Raises Refused for a wrong group."""
    return ReportChoice(
        **{name: options[name] for name in ("order", "unparsed", "subsets_by") if name in options},
        groups=tuple(map(SubsetGroup.parse, options.get("group", ()))),
        exclusion=exclusion_in(options),
    )


class DatasetReport(APIView):
    content_negotiation_class = FilesOrJson

    @extend_schema(parameters=[ReportOptionsSerializer], responses=responses_of(ReportSerializer, *TABLE_FORMATS))
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        """Return the report of the runs of a dataset that you may see, or their table, or the long form."""
        dataset = visible_dataset(request, pk)
        runs = visible_runs(request).filter(dataset=dataset).order_by("pk")
        options = query_options(ReportOptionsSerializer, request)
        runs = runs.filter(pk__in=options["run"]) if options["run"] else runs.ordinary()
        if options["attribute"]:
            runs = runs.filter(attribute__name=options["attribute"])
        chosen = list(runs)
        rows = report_rows(dataset, runs=chosen, choice=report_choice_of(options))
        return answer(chosen, rows, options, name=dataset.name, caption=caption_of(dataset), columns=DATASET_COLUMNS)


class RunReport(APIView):
    content_negotiation_class = FilesOrJson

    @extend_schema(parameters=[TableSerializer], responses=responses_of(ReportSerializer, *TABLE_FORMATS))
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        """Return the report of one run, `all` and then its subsets, or their table, or the long form."""
        run = visible_run(request, pk)
        options = query_options(TableSerializer, request)
        rows = report_rows(run.dataset, runs=[run], choice=report_choice_of(options))
        return answer([run], rows, options, name=f"run-{pk}", caption=caption_of(run.dataset, run), columns=RUN_COLUMNS)


def answer(
    runs: Sequence[Run],
    rows: list[ReportRow],
    options: dict[str, Any],
    *,
    name: str,
    caption: str,
    columns: tuple[str, ...],
) -> HttpResponseBase:
    """Send report rows as the options say. caption, columns: the usual ones. Raises Refused."""
    over_prompts = options.get("over_prompts", False)
    if "long" in options:
        form = means_long_form(means_over_prompts(runs, rows)) if over_prompts else report_long_form(rows)
        return long_attachment(form, name=name, ending=options["long"])
    if "table" not in options:
        means = {"means": as_json(means_over_prompts(runs, rows))} if over_prompts else {}
        return Response({"rows": as_json(rows), **means})
    choice = TableChoice(
        tuple(options["column"]) or columns,
        options["ranking"],
        tuple(options["subset"]),
        options["sort"],
        over_prompts=over_prompts,
    )
    checked(choice, rows)
    people = {} if columns is RUN_COLUMNS else people_of(overall(rows))
    style = TableStyle(options["digits"], options["interval"], options.get("caption", caption), options["label"])
    content = TABLE_FORMATS[options["table"]].write(table_of_choice(rows, choice, people=people, runs=runs), style)
    return attachment([content], name=f"{name}.{options['table']}")
