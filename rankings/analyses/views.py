"""The page of any analysis."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.db.models import prefetch_related_objects
from django.http import Http404, HttpRequest, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from evenhand.refusals import Refused
from judging.models import Campaign, Dataset, Run, User
from judging.models.runs import RunQuerySet
from judging.web.downloads import attachment
from judging.web.options import values_sent
from judging.web.paging import address_without_page, query_without_page
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_comparing_run, visible_dataset, visible_run, visible_runs
from rankings.analyses.forms import AnalysisForm, with_first_rows
from rankings.analyses.record import Action, Analysis, Block, Drawing, Passages, TitledTable, analyses, file_name
from rankings.charts.chart_files import chart_file
from rankings.tables.figure_table import FigureTable, figure_table
from rankings.tables.formats import TABLE_FORMATS
from rankings.tables.long_form import long_attachment
from rankings.tables.sorting import Sort, sort_name, sorted_table
from rankings.tables.table import TableStyle

ROWS_OF_A_PAGE = 100
PAGE_PARAMETERS = ("sort", "page", "part", "picture", "width", "table")
"""Parameters of the address that are no options: how the page or a file of it looks."""


@dataclass(frozen=True, slots=True)
class ShownBlock:
    """A block of a page. table: as the page draws it, rows: those it draws. name: of its element and its files."""

    block: Block
    name: str = ""
    table: FigureTable | None = None
    rows: Page[Any] | None = None


@require_safe
@researchers_only
def analysis_page(request: SignedInRequest, name: str, **key: int) -> HttpResponseBase:
    """Show an analysis of a run or a dataset."""
    analysis, [pk] = analyses()[name], key.values()
    row = _row_of(request, name, pk)
    return _page(request, analysis, row, {analysis.row: row})


@require_safe
@researchers_only
def analysis_long(request: SignedInRequest, name: str, ending: str, **key: int) -> HttpResponseBase:
    """Download the figures of a page, one per line."""
    analysis, report, rows = _downloaded(request, name, **key)
    assert analysis.long_form
    return long_attachment(analysis.long_form(report), name=file_name(rows, name), ending=ending)


@require_safe
@researchers_only
def analysis_file(request: SignedInRequest, name: str, **key: int) -> HttpResponseBase:
    """Download the file of an analysis."""
    analysis, report, rows = _downloaded(request, name, **key)
    assert analysis.file
    named = analysis.file.name(report) if analysis.file.name else name
    return attachment(analysis.file.lines(report), name=f"{file_name(rows, named)}.{analysis.file.ending}")


def _downloaded(request: SignedInRequest, name: str, **key: int) -> tuple[Analysis, Any, Sequence[Run | Dataset]]:
    """Return an analysis, its report by the address, and what it is about. Raises Http404 for wrong options."""
    analysis, [pk] = analyses()[name], key.values()
    row = _row_of(request, name, pk)
    chosen, runs = _chosen(request, analysis, row)
    values = values_sent(chosen)
    try:
        rows = analysis.asked_about(row, values, runs=runs)
        return analysis, analysis.answer(*rows, values=values, runs=runs), rows
    except Refused as refused:
        raise Http404("; ".join(refused.problems)) from refused


def _chosen(request: SignedInRequest, analysis: Analysis, row: Run | Dataset) -> tuple[QueryDict, RunQuerySet]:
    """Return the options of an address, and the runs on the dataset that the person may see."""
    runs = visible_runs(request).filter(dataset=row if isinstance(row, Dataset) else row.dataset).order_by("pk")
    return with_first_rows(analysis, options_in(analysis, request.GET), row, runs), runs


def _row_of(request: SignedInRequest, name: str, pk: int) -> Run | Dataset:
    """Return the run or dataset of a page. Raises Http404 if the person may not see it, or it has no such page."""
    analysis = analyses()[name]
    if analysis.of != "run":
        dataset = visible_dataset(request, pk)
        prefetch_related_objects([dataset], "attributes")
        return dataset
    return visible_comparing_run(request, pk) if analysis.of_pairs else visible_run(request, pk)


def _page(
    request: SignedInRequest, analysis: Analysis, row: Run | Dataset, context: dict[str, object]
) -> HttpResponseBase:
    """Show the answer, its tables, charts and remarks, or why there is none; or send a file of one of them."""
    chosen, runs = _chosen(request, analysis, row)
    form, values = AnalysisForm(analysis, chosen, row=row, runs=runs), values_sent(chosen)
    context |= {"form": form, "analysis": analysis, "query": chosen.urlencode(), "row": row}
    context |= {"chosen": [(option, value) for option, values in chosen.lists() for value in values]}
    context |= {"lacks_runs": analysis.least_runs and _most_runs_of_an_attribute(runs) < analysis.least_runs}
    try:
        rows = analysis.asked_about(row, values, runs=runs)
        report = analysis.answer(*rows, values=values, runs=runs)
        blocks = list(analysis.blocks(report))
    except Refused as refused:
        context |= {"problems": form.show(refused.problems)}
    else:
        if file := _file(request, blocks, name=f"{analysis.of}-{row.pk}"):
            return file
        shown = [_shown(block, request) for block in blocks if _is_for(request.user, block)]
        if "part" in request.GET:
            return render(request, "rankings/analyses/_answer.html", context | {"blocks": shown[:1]})
        context |= {"report": report, "blocks": shown}
        context |= {"json": _json_address(analysis, rows, values), "heading": analysis.heading(report)}
        context |= {"cautions": list(analysis.cautions(report)), "page_query": query_without_page(request)}
        page = f"{analysis.row}-{analysis.name}"
        context |= {"long": analysis.long_form and f"{page}-long"}
        context |= {"file": analysis.file and reverse(f"{page}-download", args=[row.pk])}
    return render(request, "rankings/analyses/analysis.html", context)


def _most_runs_of_an_attribute(runs: RunQuerySet) -> int:
    return max(Counter(run.attribute_id for run in runs).values(), default=0)


def _json_address(analysis: Analysis, rows: Sequence[Run | Dataset], values: Mapping[str, Any]) -> str:
    kind = "dataset" if analysis.of == "dataset" else "run"
    query = urlencode(values, doseq=True)
    return reverse(f"api-{kind}-{analysis.name}", args=[row.pk for row in rows]) + (f"?{query}" if query else "")


def options_in(analysis: Analysis, sent: QueryDict) -> QueryDict:
    """Return what an address or a form says of options."""
    options, own = sent.copy(), {option.name for option in analysis.options}
    for name in {*PAGE_PARAMETERS, "csrfmiddlewaretoken"} - own:
        options.pop(name, None)
    return options


def _shown(block: Block, request: HttpRequest) -> ShownBlock:
    if isinstance(block, TitledTable):
        return _shown_table(block, request)
    if isinstance(block, Passages):
        return ShownBlock(block, rows=Paginator(block.passages, ROWS_OF_A_PAGE).get_page(request.GET.get("page")))
    return ShownBlock(block, f"chart-{block.chart['layout']['meta']['name']}" if isinstance(block, Drawing) else "")


def _shown_table(block: TitledTable, request: HttpRequest) -> ShownBlock:
    """Return the rows of the page that the address names, in its order."""
    chosen = Sort.parse(request.GET.get("sort", ""))
    known = (*(column.name for column in block.table.columns), *map(sort_name, block.table.name_titles))
    sort = chosen if chosen.name in known else Sort(block.sort)
    table = sorted_table(block.table, chosen)
    rows = Paginator(table.rows, ROWS_OF_A_PAGE).get_page(request.GET.get("page"))
    drawn = figure_table(
        replace(table, rows=tuple(rows), headline=table.name_titles[0]),
        label=block.label,
        address=address_without_page(request),
        sort=sort,
        first_on_cards=block.headline,
        style=TableStyle(interval=block.interval),
        is_part=rows.has_other_pages(),
    )
    return ShownBlock(block, slugify(block.label), drawn, rows)


def _is_for(user: User, block: Block) -> bool:
    """Return False for an action on a campaign that the person may not change."""
    if not isinstance(block, Action) or block.campaign is None:
        return True
    return Campaign.objects.editable_by(user).filter(pk=block.campaign.pk).exists()


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
