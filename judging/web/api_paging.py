"""Pages of the HTTP API's lists: `limit` and `offset` in the address."""

from __future__ import annotations

from typing import Any

from rest_framework.pagination import LimitOffsetPagination
from rest_framework.request import Request

FARTHEST = 2**31  # beyond every list; databases refuse numbers of more than 63 bits


class Pages(LimitOffsetPagination):
    """At most 1,000 rows at a time."""

    max_limit = 1_000

    def get_offset(self, request: Request) -> int:
        return min(super().get_offset(request), FARTHEST)

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        described = super().get_paginated_response_schema(schema)
        return described | {"description": f"At most {self.max_limit} rows a page."}
