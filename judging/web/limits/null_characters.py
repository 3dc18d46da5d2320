"""Texts with a null character, which PostgreSQL neither stores nor looks for."""

from collections.abc import Callable

from django.db import DataError
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from judging.web.error_pages import bad_request


class NullCharactersRefused:
    """Middleware: answer 400 where the database was asked about such a text. Most forms refuse it at its field."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        is_null = isinstance(exception, DataError) and "NUL" in str(exception)
        return bad_request(request, exception) if is_null else None
