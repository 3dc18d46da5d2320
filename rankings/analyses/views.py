"""The page of any analysis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from evenhand.refusals import Refused
from judging.models import Dataset, Run
from judging.web.downloads import attachment
from judging.web.options import values_sent
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_comparing_run, visible_dataset, visible_run, visible_runs
from rankings.analyses.forms import AnalysisForm, with_first_two_runs
from rankings.analyses.record import Analysis, Block, Drawing, TitledTable
from rankings.analyses.registry import analysis_named
from rankings.charts.chart_files import chart_file
from rankings.tables.figure_table import FigureTable, table_by_address
from rankings.tables.formats import TABLE_FORMATS
from rankings.tables.table import TableStyle

PAGE_PARAMETERS = ("sort", "picture", "width", "table")
"""Parameters of the address that are no options: how the page or a file of it looks."""


@dataclass(frozen=True, slots=True)
class ShownBlock:
    """A block of a page. table: as the page draws it. name: of its element and its files."""

    block: Block
    name: str = ""
    table: FigureTable | None = None


@require_safe
@researchers_only
def run_analysis(request: SignedInRequest, run_id: int, name: str) -> HttpResponseBase:
    """Show an analysis of a run."""
    analysis = analysis_named(name)
    run = visible_comparing_run(request, run_id) if analysis.of_pairs else visible_run(request, run_id)
    return _page(request, analysis, run, {"run": run})


@require_safe
@researchers_only
def dataset_analysis(request: SignedInRequest, dataset_id: int, name: str) -> HttpResponseBase:
    """Show an analysis of a dataset."""
    analysis, dataset = analysis_named(name), visible_dataset(request, dataset_id)
    return _page(request, analysis, dataset, {"dataset": dataset})


def _page(
    request: SignedInRequest, analysis: Analysis, row: Run | Dataset, context: dict[str, object]
) -> HttpResponseBase:
    """Show the answer, its tables, charts and remarks, or why there is none; or send a file of one of them."""
    dataset, names = row if isinstance(row, Dataset) else row.dataset, [one.name for one in analysis.two_runs]
    runs = visible_runs(request).filter(dataset=dataset).order_by("pk")
    chosen = with_first_two_runs(options_in(request.GET), names, runs)
    form, values = AnalysisForm(analysis, chosen, row=row, runs=runs), values_sent(chosen)
    context |= {"form": form, "analysis": analysis, "query": chosen.urlencode(), "formats": TABLE_FORMATS, "row": row}
    context |= {"chosen": [(option, value) for option, values in chosen.lists() for value in values]}
    context |= {"lacks_runs": names and not {*names} & {*chosen}}
    try:
        rows = analysis.asked_about(row, values, runs=runs)
        report = analysis.answer(*rows, values=values, runs=runs)
        blocks = list(analysis.blocks(report))
    except Refused as refused:
        context |= {"problems": form.show(refused.problems)}
    else:
        if file := _file(request, blocks, name=f"{analysis.of}-{row.pk}"):
            return file
        context |= {"report": report, "blocks": [_shown(block, request.GET) for block in blocks]}
        context |= {"json": _json_address(analysis, rows, values)}
    return render(request, "rankings/analyses/analysis.html", context)


def _json_address(analysis: Analysis, rows: Sequence[Run | Dataset], values: Mapping[str, Any]) -> str:
    kind = "dataset" if analysis.of == "dataset" else "run"
    query = urlencode(values, doseq=True)
    return reverse(f"api-{kind}-{analysis.name}", args=[row.pk for row in rows]) + (f"?{query}" if query else "")


def options_in(sent: QueryDict) -> QueryDict:
    """Return what an address or a form says of options."""
    options = sent.copy()
    for name in (*PAGE_PARAMETERS, "csrfmiddlewaretoken"):
        options.pop(name, None)
    return options


def _shown(block: Block, address: QueryDict) -> ShownBlock:
    if isinstance(block, TitledTable):
        return ShownBlock(block, slugify(block.label), table_by_address(block.table, block.label, address))
    return ShownBlock(block, f"chart-{block.chart['layout']['meta']['name']}" if isinstance(block, Drawing) else "")


def _file(request: HttpRequest, blocks: Sequence[Block], *, name: str) -> HttpResponseBase | None:
    """Return the file of a chart or a table that the address asks for. Raises Http404 if there is no such table."""
    if file := chart_file(request, *(block.chart for block in blocks if isinstance(block, Drawing))):
        return file
    if "table" not in request.GET:
        return None
    wanted, _, ending = request.GET["table"].rpartition(".")
    for block in blocks:
        if isinstance(block, TitledTable) and slugify(block.label) == wanted and ending in TABLE_FORMATS:
            content = TABLE_FORMATS[ending].write(block.table, TableStyle(caption=block.label))
            return attachment([content], name=f"{name}-{wanted}.{ending}")
    raise Http404(f"there is no table {request.GET['table']}")
