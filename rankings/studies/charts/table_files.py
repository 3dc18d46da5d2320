"""The files of a table that stands on a page with charts, such as `?table=csv`."""

from __future__ import annotations

from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase

from judging.web.downloads import attachment
from rankings.tables.formats import TABLE_FORMATS
from rankings.tables.table import Table, TableStyle

TABLE_PARAMETER = "table"


def table_file(request: HttpRequest, table: Table, *, name: str, caption: str) -> HttpResponseBase | None:
    """Return the table in the format that the address asks for; None for none. Raises Http404 for an unknown one."""
    ending = request.GET.get(TABLE_PARAMETER)
    if ending is None:
        return None
    if ending not in TABLE_FORMATS:
        raise Http404(f"no table ends in .{ending}; there are: {', '.join(TABLE_FORMATS)}")
    content = TABLE_FORMATS[ending].write(table, TableStyle(caption=caption, label=f"tab:{name}"))
    return attachment([content], name=f"{name}.{ending}")
