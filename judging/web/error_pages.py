"""What is answered where no view answers: pages for people, `{"detail": …}` for programs."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views import defaults


def is_api(request: HttpRequest) -> bool:
    """Whether a program asks, which reads JSON."""
    return request.path.startswith("/api/")


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_api(request):
        detail = "the request cannot be read: it is malformed, too long, or its host is none of ALLOWED_HOSTS"
        return JsonResponse({"detail": detail}, status=400)
    return defaults.bad_request(request, exception)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if is_api(request):
        return JsonResponse({"detail": "there is no such address; /api/docs/ lists them"}, status=404)
    return defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    if is_api(request):
        return JsonResponse({"detail": "something went wrong; the log of the server tells what"}, status=500)
    return defaults.server_error(request)
