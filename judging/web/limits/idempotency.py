"""Requests that cost something: sent again with the same key, they do nothing twice."""

from collections.abc import Callable
from functools import wraps
from hashlib import sha256
from typing import Any, TypeAlias

from django.db import transaction
from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request
from rest_framework.response import Response

from evenhand.refusals import Refused
from judging.models import AnsweredRequest, User
from judging.web.role_checks import user_of

Post: TypeAlias = Callable[..., Response]
LONGEST_IDEMPOTENCY_KEY = 200
IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    location=OpenApiParameter.HEADER,
    description="Any text of yours. For a day, the same request with this key is answered again, and starts nothing.",
)


def kept_answer(user: User, key: str, digest: str, answer: Callable[[], tuple[Any, int]]) -> AnsweredRequest:
    """Return the kept answer to a request, which is made only if the key is new. A refused one leaves its key free.

    Raises Refused for a key that was given with another digest.
    """
    with transaction.atomic():  # a second request waits here for the first, and finds its answer
        row, is_new = AnsweredRequest.objects.get_or_create(user=user, key=key, defaults={"sha256": digest})
        if row.sha256 != digest:
            raise Refused(f'Idempotency-Key: "{key}" was given with another request')
        if is_new:
            row.answer, row.status = answer()
            row.save(update_fields=["answer", "status"])
    return row


def once_per_key(post: Post) -> Post:
    """Answer a request with the key of an earlier one as that one."""

    @wraps(post)
    def once(view: Any, request: Request, *args: Any, **kwargs: Any) -> Response:  # noqa: ANN401 - of any view
        key = request.headers.get("Idempotency-Key", "")
        if not key:
            return post(view, request, *args, **kwargs)
        if len(key) > LONGEST_IDEMPOTENCY_KEY or not key.isprintable():
            raise Refused(f"Idempotency-Key: write at most {LONGEST_IDEMPOTENCY_KEY} printable characters")
        digest = sha256(f"{request.method} {request.path} {request.body!r}".encode()).hexdigest()

        def answer() -> tuple[Any, int]:
            response = post(view, request, *args, **kwargs)
            return response.data, response.status_code

        row = kept_answer(user_of(request), key, digest, answer)
        return Response(row.answer, row.status)

    return once
