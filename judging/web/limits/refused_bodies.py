"""Middleware that refuses, before it is read, a body that is too large, and any text with a null character."""

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from django.conf import settings
from django.db import DataError
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import render

from evenhand.units import format_limit
from judging.web.error_pages import bad_request, is_api

FORM_OVERHEAD = 2**20  # other fields and boundaries of a form
COPIES = 4  # of a body on one disk: as it arrived, the upload, its rows while they are checked, and the dataset


def refuse_large_bodies(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Answer 413 to a body above the limit of this person, and 507 to one for which the disk has no space."""

    def middleware(request: HttpRequest) -> HttpResponse:
        text = request.META.get("CONTENT_LENGTH") or "0"
        length = int(text) if text.isdigit() else 0
        if length > (limit := body_limit(request)) + FORM_OVERHEAD:
            return too_large(request, size=length, limit=limit)
        if length > settings.DATA_UPLOAD_MAX_MEMORY_SIZE and length * COPIES > free_space():
            return no_space(request, size=length)
        return get_response(request)

    return middleware


def body_limit(request: HttpRequest) -> int:
    """Return the largest body in bytes. Without it, visitors could fill the disk.

    The API checks the account itself before it reads a body.
    """
    if is_api(request) or (request.user.is_authenticated and request.user.is_researcher):
        return settings.MAX_UPLOAD_BYTES
    return min(settings.MAX_UPLOAD_BYTES, settings.DATA_UPLOAD_MAX_MEMORY_SIZE)


def free_space() -> int:
    """Return the free bytes where uploads are stored: the folder of temporary files, and the data folder."""
    folders = Path(tempfile.gettempdir()), Path(settings.DATA_DIR)
    return min(shutil.disk_usage(folder).free for folder in folders if folder.exists())


def too_large(request: HttpRequest, *, size: int, limit: int) -> HttpResponse:
    if is_api(request):
        detail = f"the body has {size} bytes; at most {limit} are accepted"
        return JsonResponse({"detail": detail}, status=413)
    content = {
        "size": format_limit(size),
        "limit": format_limit(limit),
        "is_highest": limit == settings.MAX_UPLOAD_BYTES,
    }
    return render(request, "413.html", content, status=413)


def no_space(request: HttpRequest, *, size: int) -> HttpResponse:
    needed = size * COPIES
    if is_api(request):
        detail = f"the server has too little free space: the body needs {needed} bytes"
        return JsonResponse({"detail": detail}, status=507)
    return render(request, "507.html", {"size": size, "needed": needed}, status=507)


class NullCharactersRefused:
    """Middleware: answer 400 where the database was asked about such a text. Most forms refuse it at its field."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        is_null = isinstance(exception, DataError) and "NUL" in str(exception)
        return bad_request(request, exception) if is_null else None
