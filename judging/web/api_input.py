"""What requests give, read so that nothing is left out without a word: a misspelt name would change what is asked."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, cast

from django.db.models import Model, QuerySet
from django.http import QueryDict
from django_filters.rest_framework import DjangoFilterBackend
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.serializers import Serializer, ValidationError
from rest_framework.settings import api_settings
from rest_framework.views import APIView

from judging.web.api_paging import Pages


class GivenSerializer(Serializer[Any]):
    """What a request gives. Names that it has no field for are refused, beside what else is wrong."""

    def to_internal_value(self, data: Any) -> Any:  # noqa: ANN401 - whatever was sent
        unknown = unknown_names(data, self.fields) if isinstance(data, Mapping) else {}
        values: Any = None
        wrong: dict[str, Any] = {}
        try:
            values = super().to_internal_value(data)
        except ValidationError as error:
            wrong = cast(dict[str, Any], error.detail)
        if unknown or wrong:
            raise ValidationError(wrong | unknown)
        return values


class NamedFilters(DjangoFilterBackend):
    """Filters of a list, by the names in its address; others than its own and those of its pages are refused."""

    def filter_queryset(self, request: Request, queryset: QuerySet[Model], view: APIView) -> QuerySet[Model]:
        if isinstance(view, ListModelMixin):
            own = self.get_filterset_class(view, queryset)
            names = [*(own.base_filters if own else ()), Pages.limit_query_param, Pages.offset_query_param]
            if unknown := unknown_names(asked_in_address(request), names):
                raise ValidationError(unknown)
        return super().filter_queryset(request, queryset, view)


def asked_in_address(request: Request) -> QueryDict:
    """What stands behind the question mark, but for the format of the answer."""
    asked = request.query_params.copy()
    asked.pop(api_settings.URL_FORMAT_OVERRIDE, None)
    return asked


def unknown_names(given: Mapping[str, Any], known: Collection[str]) -> dict[str, str]:
    """A message for each name that is not known."""
    return {str(name): f"unknown; there are: {', '.join(known)}" for name in sorted(set(given) - set(known))}
