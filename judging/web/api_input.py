"""Fields and filters of API requests. Unknown names are refused: a misspelt one would change the question."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from itertools import chain
from typing import Any, cast

from django.db.models import Model, QuerySet
from django.http import QueryDict
from django_filters.rest_framework import DjangoFilterBackend
from rest_framework import serializers
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.serializers import Serializer, ValidationError
from rest_framework.settings import api_settings
from rest_framework.views import APIView

from evenhand.options import Option, options_of, read_options
from judging.web.options import values_sent
from judging.web.paging import ApiPages

PLAIN_FIELDS: dict[type, Any] = {
    int: serializers.IntegerField,
    float: serializers.FloatField,
    bool: serializers.BooleanField,
    str: serializers.CharField,
    datetime: serializers.DateTimeField,
}


class RequestSerializer(Serializer[Any]):
    """A request body. Unknown fields are refused, together with all other problems."""

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


class StrictFilters(DjangoFilterBackend):
    """Filters of a list. Unknown query parameters are refused: a misspelt filter would show the whole list."""

    def filter_queryset(self, request: Request, queryset: QuerySet[Model], view: APIView) -> QuerySet[Model]:
        if isinstance(view, ListModelMixin):
            own = self.get_filterset_class(view, queryset)
            names = [*(own.base_filters if own else ()), ApiPages.limit_query_param, ApiPages.offset_query_param]
            if unknown := unknown_names(query_parameters(request), names):
                raise ValidationError(unknown)
        return super().filter_queryset(request, queryset, view)


def body_of(serializer: type[Serializer[Any]], request: Request) -> dict[str, Any]:
    """Return the values of a request's body. Raises ValidationError with every problem."""
    checked = serializer(data=request.data)
    checked.is_valid(raise_exception=True)
    return dict(checked.validated_data)


def values_of_body(sent: Any) -> dict[str, Any]:  # noqa: ANN401 - a parsed body
    """Return the values of a body, from a form or from JSON. Raises ValidationError unless it is an object."""
    if isinstance(sent, QueryDict):
        return values_sent(sent)
    if not isinstance(sent, Mapping):
        raise ValidationError("give an object with the options by name")
    return dict(sent)


def sent_options(request: Request, *functions: Callable[..., Any]) -> dict[str, Any]:
    """Return the options of one operation or several, from a request's body. Raises Refused with every problem."""
    return options_in_body(request, chain.from_iterable(map(options_of, functions)))


def options_in_body(request: Request, options: Iterable[Option]) -> dict[str, Any]:
    """Return the options from a request's body. Raises Refused with every problem."""
    return read_options(options, values_of_body(request.data))


def sent_changes(request: Request, *functions: Callable[..., Any]) -> dict[str, Any]:
    """Return only those options that a request's body has. Null and empty are values too. Raises Refused."""
    return changes_in_body(values_of_body(request.data), chain.from_iterable(map(options_of, functions)))


def changes_in_body(sent: Mapping[str, Any], options: Iterable[Option]) -> dict[str, Any]:
    """Return only those options that a body has. Null and empty are values too. Raises Refused."""
    empty = [replace(one, default=() if one.takes_several else None) for one in options]
    return {name: value for name, value in read_options(empty, sent).items() if name in sent}


def options_in_query(request: Request, options: Iterable[Option]) -> dict[str, Any]:
    """Return the options from the query parameters. Raises Refused with every problem."""
    return read_options(options, values_sent(query_parameters(request)))


def query_parameters(request: Request) -> QueryDict:
    """Return the query parameters without the one that names the response format."""
    parameters = request.query_params.copy()
    parameters.pop(api_settings.URL_FORMAT_OVERRIDE, None)
    return parameters


def unknown_names(names: Mapping[str, Any], known: Collection[str]) -> dict[str, str]:
    """Return a message for each name that is not known."""
    return {str(name): f"unknown; there are: {', '.join(known)}" for name in sorted(set(names) - set(known))}


def request_of(options: Iterable[Option], *, name: str) -> type[serializers.Serializer[Any]]:
    """Return the serializer that describes a request with these options."""
    return type(name, (serializers.Serializer,), {option.name: _request_field(option) for option in options})


def _request_field(option: Option) -> Any:  # noqa: ANN401 - a field
    about: dict[str, Any] = {"help_text": option.help}
    about |= {"required": True} if option.is_required else {"required": False, "default": option.default}
    if option.default is None:
        about |= {"allow_null": True}
    one = {} if option.takes_several or option.takes_names else about
    ends = {name: end for name, end in (("min_value", option.low), ("max_value", option.high)) if end is not None}
    may_be_blank = not (option.is_required or option.takes_several)
    if option.choices is not None and option.kind is not bool:
        choices = [choice for choice in option.choices.items() if choice[0]]
        field: Any = serializers.ChoiceField(choices, allow_blank=may_be_blank, **one)
    else:
        of_text = {"allow_blank": True, "max_length": option.longest}
        field = PLAIN_FIELDS[option.kind](**(of_text if option.kind is str else ends), **one)
    if option.takes_names:
        return serializers.DictField(child=field, **about | {"default": {}})
    return serializers.ListField(child=field, max_length=option.most, **about) if option.takes_several else field
