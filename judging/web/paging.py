"""Pages of long lists, in HTML by `page` and in the API by `limit` and `offset`."""

from __future__ import annotations

from functools import cached_property
from typing import Any, TypeVar

from django.core.paginator import Page, Paginator
from django.db.models import Model, QuerySet
from django.http import HttpRequest, QueryDict
from rest_framework.pagination import LimitOffsetPagination
from rest_framework.request import Request

from evenhand.options import Option

LARGEST_OFFSET = 2**31  # longer than every list; databases refuse numbers of more than 63 bits

PART = (
    Option("Pairs of one answer.", name="limit", kind=int, default=100, low=1, high=1_000),
    Option("Pairs before the first one.", name="offset", kind=int, default=0, low=0, high=LARGEST_OFFSET),
)
"""The options of an answer that has a part of the pairs."""
MOST_ROWS = 10_000
"""Rows of a long list that its pages show."""

T = TypeVar("T", bound=Model)


class LongListPaginator(Paginator):
    """Pages of the first MOST_ROWS rows of a long list. Counting and skipping millions of rows would take seconds."""

    object_list: QuerySet[Any]

    @cached_property
    def _counted(self) -> int:
        return self.object_list.order_by().values("pk")[: MOST_ROWS + 1].count()

    @cached_property
    def count(self) -> int:
        """Number of rows on the pages."""
        return min(self._counted, MOST_ROWS)

    @property
    def has_more(self) -> bool:
        """True if there are rows that no page shows."""
        return self._counted > MOST_ROWS


def page_of(request: HttpRequest, paginator: Paginator[T]) -> Page[T]:
    """Return the page that the address names, or the nearest one that exists."""
    return paginator.get_page(request.GET.get("page"))


def address_without_page(request: HttpRequest) -> QueryDict:
    """Return the query parameters but for the page."""
    parameters = request.GET.copy()
    parameters.pop("page", None)
    return parameters


def query_without_page(request: HttpRequest) -> str:
    """Return the other query parameters, ready to be followed by `page=`."""
    parameters = address_without_page(request)
    return f"{parameters.urlencode()}&" if parameters else ""


class ApiPages(LimitOffsetPagination):
    """At most 1,000 rows a page."""

    max_limit = 1_000

    def get_offset(self, request: Request) -> int:
        return min(super().get_offset(request), LARGEST_OFFSET)

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        described = super().get_paginated_response_schema(schema)
        return described | {"description": f"At most {self.max_limit} rows a page."}
