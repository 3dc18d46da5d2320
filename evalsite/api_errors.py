"""What the HTTP API answers when something is refused."""

from __future__ import annotations

from typing import Any

from rest_framework.response import Response
from rest_framework.serializers import CharField, ListField, Serializer
from rest_framework.status import HTTP_400_BAD_REQUEST
from rest_framework.views import exception_handler as usual_handler

from judging.exceptions import Refused
from judging.formats import InvalidFile

PROBLEMS_SHOWN = 1_000


class ProblemsSerializer(Serializer[Any]):
    """Why input was refused: one line each. Nothing was stored."""

    detail = CharField()
    problems = ListField(child=CharField())


def exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """Status 400 with every problem for what services and formats refuse; else what the framework does."""
    if not isinstance(error, Refused | InvalidFile):
        return usual_handler(error, context)
    problems = [str(problem) for problem in error.problems]
    detail = f"{len(problems)} problem{'s' if len(problems) > 1 else ''}; nothing was stored"
    return Response({"detail": detail, "problems": problems[:PROBLEMS_SHOWN]}, HTTP_400_BAD_REQUEST)
