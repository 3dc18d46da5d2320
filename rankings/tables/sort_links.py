"""The links in the headings of a table, which sort its rows on the server."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import QueryDict

from rankings.tables.sorting import Sort, sort_name
from rankings.tables.table import Column


@dataclass(frozen=True, slots=True)
class SortLink:
    """A heading that sorts. direction: of the rows at present, for aria-sort; "" for another column."""

    title: str
    name: str
    href: str
    direction: str


class SortLinks:
    """Links that sort the table. They keep the other parameters of the address."""

    def __init__(self, address: QueryDict, sort: Sort) -> None:
        self.address, self.sort = address, sort

    def of_figure(self, column: Column) -> SortLink:
        usual, opposite = ("ascending", "descending") if column.lowest_first else ("descending", "ascending")
        return self._link(column.title, column.name, usual=usual, opposite=opposite)

    def of_name(self, title: str) -> SortLink:
        return self._link(title, sort_name(title), usual="ascending", opposite="descending")

    def _link(self, title: str, name: str, *, usual: str, opposite: str) -> SortLink:
        parameters = self.address.copy()
        parameters["sort"] = self.sort.after_click(name)
        direction = (opposite if self.sort.is_opposite else usual) if self.sort.name == name else ""
        return SortLink(title, name, f"?{parameters.urlencode()}", direction)
