"""Error pages for browsers, and `{"detail": …}` for API requests."""

import sys

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views import defaults

from judging.services.full_disks import lacks_space


def is_api(request: HttpRequest) -> bool:
    """Return True for API requests, which get JSON."""
    return request.path.startswith("/api/")


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_api(request):
        detail = "the request is malformed or too long, or its host is not in ALLOWED_HOSTS"
        return JsonResponse({"detail": detail}, status=400)
    return defaults.bad_request(request, exception)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_api(request):
        return JsonResponse({"detail": "no such address; see /api/docs/"}, status=404)
    return defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    if lacks_space(sys.exc_info()[1]):
        return nothing_stored(request)
    if is_api(request):
        return JsonResponse({"detail": "internal error; see the server's log"}, status=500)
    return defaults.server_error(request)


def nothing_stored(request: HttpRequest) -> HttpResponse:
    """Refuse what cannot be stored."""
    if is_api(request):
        detail = "the server can store nothing now: its disk is full; nothing was stored"
        return JsonResponse({"detail": detail}, status=507)
    return render(request, "507.html", status=507)


def locked(request: HttpRequest) -> HttpResponse:
    """Refuse a sign-in from an address with too many wrong names."""
    if is_api(request):
        return JsonResponse({"detail": "too many wrong names from this address; try again in 15 minutes"}, status=429)
    return render(request, "account/locked.html", status=429)


def too_busy(request: HttpRequest) -> HttpResponse:
    """Refuse a sign-in while many people sign in. Nothing was checked or counted."""
    if is_api(request):
        response: HttpResponse = JsonResponse({"detail": "many people sign in just now; try again soon"}, status=503)
    else:
        response = render(request, "503.html", status=503)
    response["Retry-After"] = "5"  # seconds
    return response
