"""Error responses of the HTTP API."""

from collections.abc import Iterator, Mapping
from typing import Any

from rest_framework.permissions import SAFE_METHODS
from rest_framework.response import Response
from rest_framework.serializers import CharField, ListField, Serializer
from rest_framework.settings import api_settings
from rest_framework.status import HTTP_400_BAD_REQUEST
from rest_framework.views import exception_handler as default_handler

from evenhand.file_problems import InvalidFile
from evenhand.refusals import Refused
from evenhand.units import counted

MOST_PROBLEMS = 1_000


class ProblemsSerializer(Serializer[Any]):
    """A refused request, with one line for each problem."""

    detail = CharField()
    problems = ListField(child=CharField())


def exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """Answer 400 with one line for each problem of a service, file format or serializer.

    Other errors get REST framework's response. A view's attribute `refused` replaces "nothing was stored".
    """
    if isinstance(error, Refused | InvalidFile):
        return _refusal([str(problem) for problem in error.problems], context)
    response = default_handler(error, context)
    if response is None or response.status_code != HTTP_400_BAD_REQUEST:
        return response
    return _refusal(list(_lines(response.data)), context)


def _refusal(problems: list[str], context: dict[str, Any]) -> Response:
    detail = counted(len(problems), "problem")
    if context["request"].method not in SAFE_METHODS:
        detail += f"; {getattr(context['view'], 'refused', 'nothing was stored')}"
    return Response({"detail": detail, "problems": problems[:MOST_PROBLEMS]}, HTTP_400_BAD_REQUEST)


def _lines(messages: Any, path: str = "") -> Iterator[str]:  # noqa: ANN401 - nested lists and dicts
    """Yield each message of a serializer, after the name of its field."""
    if isinstance(messages, Mapping):
        for field, inner in messages.items():
            about_all = field in ("detail", api_settings.NON_FIELD_ERRORS_KEY)
            yield from _lines(inner, path if about_all else f"{path}{field}: ")
    elif isinstance(messages, list):
        for inner in messages:
            yield from _lines(inner, path)
    else:
        yield f"{path}{messages}"
