"""What the HTTP API answers when something is refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rest_framework.permissions import SAFE_METHODS
from rest_framework.response import Response
from rest_framework.serializers import CharField, ListField, Serializer
from rest_framework.settings import api_settings
from rest_framework.status import HTTP_400_BAD_REQUEST
from rest_framework.views import exception_handler as usual_handler

from judging.exceptions import Refused
from judging.formats import InvalidFile

PROBLEMS_SHOWN = 1_000


class ProblemsSerializer(Serializer[Any]):
    """Why something was refused: one line each."""

    detail = CharField()
    problems = ListField(child=CharField())


def exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """Status 400 with one line per problem, whether a service, a format or a serializer refuses; else the usual.

    What did not happen because of it is said in the words of the view, if it has an attribute `refused`.
    """
    if isinstance(error, Refused | InvalidFile):
        return _refusal([str(problem) for problem in error.problems], context)
    response = usual_handler(error, context)
    if response is None or response.status_code != HTTP_400_BAD_REQUEST:
        return response
    return _refusal(list(_lines(response.data)), context)


def _refusal(problems: list[str], context: dict[str, Any]) -> Response:
    detail = f"{len(problems)} problem{'s' if len(problems) > 1 else ''}"
    if context["request"].method not in SAFE_METHODS:
        detail += f"; {getattr(context['view'], 'refused', 'nothing was stored')}"
    return Response({"detail": detail, "problems": problems[:PROBLEMS_SHOWN]}, HTTP_400_BAD_REQUEST)


def _lines(messages: Any, path: str = "") -> Iterator[str]:  # noqa: ANN401 - nested lists and dicts
    """Each message of a serializer, with the field that it is about."""
    if isinstance(messages, Mapping):
        for field, inner in messages.items():
            about_all = field in ("detail", api_settings.NON_FIELD_ERRORS_KEY)
            yield from _lines(inner, path if about_all else f"{path}{field}: ")
    elif isinstance(messages, list):
        for inner in messages:
            yield from _lines(inner, path)
    else:
        yield f"{path}{messages}"
