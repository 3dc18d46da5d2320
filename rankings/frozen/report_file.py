"""Store a frozen report as one HTML file that opens without a server: styles, script and data are inside."""

import base64
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from django.contrib.staticfiles import finders
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.html import json_script

from evenhand.refusals import Refused
from evenhand.report_json import as_json
from judging.models import FrozenReport, Run, Study, User
from judging.models.activity_and_looks import Act
from judging.services.activity import noted
from rankings.charts.picture_formats import FORMATS, WIDTHS
from rankings.citations.author_year import readable_text
from rankings.frozen.report_content import Freezing, freeze
from rankings.studies.charts.chart_request import ChartQuery
from rankings.studies.charts.chart_tab import ChartTab
from rankings.studies.pivots.pivot_choice import PivotChoice
from rankings.studies.study_page import sort_of, with_sections
from rankings.tables.figure_table import FigureTable, figure_table
from rankings.tables.formats import TABLE_FORMATS
from rankings.tables.sorting import sorted_table
from rankings.tables.table import Table, TableStyle

STYLES = ("css/site.css", "css/tables.css", "css/frozen.css")
SVG = FORMATS["svg"]
PRINT_STYLE = "css/print.css"
SCRIPT = "js/sort_table.js"
DATA_ID = "report-data"
DATA = re.compile(rf'<script id="{DATA_ID}" type="application/json">(.*?)</script>', re.DOTALL)
DOWNLOADS = {"csv": "text/csv", "tex": "application/x-tex", "md": "text/markdown"}
"""ending of a table's file -> its type."""


def report_html(freezing: Freezing) -> str:
    """Return the file. Tables sort without a server; each can be saved as CSV, LaTeX and Markdown."""
    tables = [
        {
            "table": figure_table(_without_links(drawn.table), label=frozen.title, sort=drawn.sort, style=drawn.style),
            "id": f"table-{number}",
            "title": frozen.title,
            "files": _files(drawn.table, f"table-{number}", frozen.title),
        }
        for number, (drawn, frozen) in enumerate(zip(freezing.tables, freezing.content.tables, strict=True), 1)
    ]
    data = json_script(as_json(freezing.content), DATA_ID)
    context = {
        "report": freezing.content,
        "tables": tables,
        "charts": [_charts(tab, number) for number, tab in enumerate(freezing.tabs, 1)],
        "methods": [(one, readable_text(one.text.markdown)) for one in freezing.content.methods],
        "styles": "".join([*map(_static_text, STYLES), f"@media print {{{_static_text(PRINT_STYLE)}}}"]),
        "script": _static_text(SCRIPT),
        "data": data,
        "data_sha256": sha256(_text_of(data).encode()).hexdigest(),
    }
    return render_to_string("rankings/frozen/file.html", context)


def data_in(html: str) -> dict[str, Any]:
    """Return the data of a report's file. Raises Refused if it has none, and if it is damaged."""
    try:
        content: dict[str, Any] = dict(json.loads(_text_of(html)))
    except (TypeError, ValueError) as error:
        raise Refused(f"file: its data is damaged: {error}") from error
    return content


def _text_of(html: str) -> str:
    data = DATA.search(html)
    if data is None:
        raise Refused("file: this is no report of Evenhand; its data is missing")
    return data.group(1)


def content_policy(html: str) -> str:
    """Return the content policy under which a browser runs only the style and script inside the file."""
    style, script = (_hashes(tag, html) for tag in ("style", "script"))
    allowed = {
        "default-src": "'none'",
        "style-src": style,
        "script-src": script,
        "img-src": "data:",
        "base-uri": "'none'",
    }
    allowed |= {"form-action": "'none'", "frame-ancestors": "'none'"}
    return "; ".join(f"{directive} {sources}" for directive, sources in allowed.items())


def _hashes(tag: str, html: str) -> str:
    texts = re.findall(rf"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
    return " ".join(f"'sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}'" for text in texts)


def _charts(tab: ChartTab, number: int) -> dict[str, object]:
    """Return what the file shows of a tab: its charts as pictures, and its table."""
    # Takes 40 MB, so the web process imports it only when somebody freezes a chart
    from rankings.charts.paper_pictures import picture_file  # noqa: PLC0415

    pictures = [
        {"title": one.title, "href": _address_of(picture_file(one.chart, "svg", width=max(WIDTHS)), SVG)}
        for one in tab.charts
    ]
    return {
        "tab": tab,
        "pictures": pictures,
        "id": f"chart-{number}",
        "table": _table_of(tab),
        "files": _files(tab.table, f"chart-{number}", tab.title),
    }


def _table_of(tab: ChartTab) -> FigureTable:
    """Return the table as the page of the tab draws it."""
    table = with_sections(_without_links(tab.page_table))
    sort = sort_of(table, tab.usual_sort)
    return figure_table(sorted_table(table, sort), label=tab.title, sort=sort, style=tab.style)


def _without_links(table: Table) -> Table:
    """Return the table without links to pages of this server."""
    columns = tuple(replace(column, definition="") for column in table.columns)
    return replace(table, columns=columns, rows=tuple(replace(row, href="", cell_hrefs=()) for row in table.rows))


def _files(table: Table, name: str, caption: str) -> list[dict[str, str]]:
    """Return the downloads of a table as addresses that hold their content."""
    style = TableStyle(caption=caption, label=f"tab:{name}")
    return [
        {"ending": ending, "title": one.title, "href": _address_of(one.write(table, style), DOWNLOADS[ending])}
        for ending, one in ((ending, TABLE_FORMATS[ending]) for ending in DOWNLOADS)
    ]


def _address_of(content: str | bytes, kind: str) -> str:
    binary = content.encode() if isinstance(content, str) else content
    return f"data:{kind};base64,{base64.b64encode(binary).decode()}"


def _static_text(name: str) -> str:
    found = finders.find(name)
    if not isinstance(found, str):
        raise FileNotFoundError(f"static file {name}")
    return Path(found).read_text(encoding="utf-8")


def freeze_study(
    study: Study,
    runs: Sequence[Run],
    choices: Sequence[PivotChoice],
    charts: Sequence[ChartQuery] = (),
    *,
    name: str = "",
    owner: User | None = None,
) -> FrozenReport:
    """Compute and store the report of a study. Raises Refused for a study without runs, and for wrong choices."""
    freezing = freeze(study, runs, choices, charts, name=name, frozen_by=owner.username if owner else "")
    report = FrozenReport(name=freezing.content.name, study=study, owner=owner, html=report_html(freezing))
    return _stored(report, runs)


@noted(Act.CREATE, returned=True)
def _stored(report: FrozenReport, runs: Sequence[Run]) -> FrozenReport:
    report.save(force_insert=True)
    report.runs.set(runs)
    return report


@noted(Act.WITHDRAW)
def withdraw(report: FrozenReport) -> None:
    """Close the link of a report. The report stays for its owner."""
    FrozenReport.objects.open().filter(pk=report.pk).update(withdrawn_at=timezone.now())


@noted(Act.SHARE)
def reopen(report: FrozenReport) -> None:
    """Open the link of a withdrawn report again."""
    FrozenReport.objects.filter(pk=report.pk).update(withdrawn_at=None)
