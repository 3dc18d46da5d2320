"""Middleware that refuses too large request bodies before reading them."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from judging.web.error_pages import is_api

FORM_OVERHEAD = 2**20  # other fields and boundaries of a form


def refuse_large_bodies(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Answer 413 if the Content-Length exceeds MAX_UPLOAD_BYTES and the overhead of a form."""

    def middleware(request: HttpRequest) -> HttpResponse:
        length = request.META.get("CONTENT_LENGTH") or "0"
        if length.isdigit() and int(length) > settings.MAX_UPLOAD_BYTES + FORM_OVERHEAD:
            return too_large(request, size=int(length))
        return get_response(request)

    return middleware


def too_large(request: HttpRequest, *, size: int) -> HttpResponse:
    limit = settings.MAX_UPLOAD_BYTES
    if is_api(request):
        detail = f"the body has {size} bytes; at most {limit} are accepted"
        return JsonResponse({"detail": detail}, status=413)
    return render(request, "413.html", {"size": size, "limit": limit}, status=413)
