"""The page of any analysis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import Http404, HttpRequest, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from evenhand.refusals import Refused
from judging.web.downloads import attachment
from judging.web.options import values_sent
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_comparing_run, visible_run
from rankings.analyses.forms import AnalysisForm
from rankings.analyses.record import Block, Drawing, TitledTable
from rankings.analyses.registry import analysis_of_run
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
    """Show the answer, its tables, charts and remarks, or why there is none; or send a file of one of them."""
    analysis = analysis_of_run(name)
    run = visible_comparing_run(request, run_id) if analysis.of_pairs else visible_run(request, run_id)
    chosen = options_in(request.GET)
    form = AnalysisForm(analysis, request.GET, row=run)
    context = {"run": run, "form": form, "analysis": analysis, "query": chosen.urlencode(), "formats": TABLE_FORMATS}
    context |= {"chosen": [(option, value) for option, values in chosen.lists() for value in values]}
    context |= {"json": f"api-run-{name}"}
    try:
        report = analysis.answer(run, values_sent(chosen))
        blocks = list(analysis.blocks(report))
    except Refused as refused:
        context |= {"problems": form.show(refused.problems)}
    else:
        if file := _file(request, blocks, name=f"run-{run_id}"):
            return file
        context |= {"report": report, "blocks": [_shown(block, request.GET) for block in blocks]}
    return render(request, "rankings/analyses/analysis.html", context)


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
