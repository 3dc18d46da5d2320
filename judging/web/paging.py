"""One page of a long list, named in the address."""

from __future__ import annotations

from typing import TypeVar

from django.core.paginator import Page, Paginator
from django.db.models import Model
from django.http import HttpRequest

T = TypeVar("T", bound=Model)


def page_of(request: HttpRequest, paginator: Paginator[T]) -> Page[T]:
    """The page the address asks for; the nearest one where there is no such page."""
    return paginator.get_page(request.GET.get("page"))


def query_without_page(request: HttpRequest) -> str:
    """The other parameters of the address, ready to stand before `page=`."""
    parameters = request.GET.copy()
    parameters.pop("page", None)
    return f"{parameters.urlencode()}&" if parameters else ""
