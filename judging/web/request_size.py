"""Refuses a body that is too large before a byte of it is read."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from judging.web.error_pages import is_api

FRAME = 2**20  # what a form may carry beside the file: other fields, boundaries


def refuse_large_bodies(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Status 413, with the limit, where the announced length exceeds MAX_UPLOAD_BYTES and a little."""

    def middleware(request: HttpRequest) -> HttpResponse:
        announced = request.META.get("CONTENT_LENGTH") or "0"
        if announced.isdigit() and int(announced) > settings.MAX_UPLOAD_BYTES + FRAME:
            return too_large(request, size=int(announced))
        return get_response(request)

    return middleware


def too_large(request: HttpRequest, *, size: int) -> HttpResponse:
    limit = settings.MAX_UPLOAD_BYTES
    if is_api(request):
        detail = f"the body has {size} bytes; at most {limit} are accepted"
        return JsonResponse({"detail": detail}, status=413)
    return render(request, "413.html", {"size": size, "limit": limit}, status=413)
