"""Pages for people and programs that watch a server."""

from django.conf import settings
from django.db import DatabaseError, connection
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from judging.services.full_disks import full_folder, refused_writes
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.watching.readiness import OK, lasting_schema_problems, readiness
from judging.web.watching.workers import workers_report


@require_safe
@never_cache
@researchers_only
def worker_list(request: SignedInRequest) -> HttpResponse:
    """Show what waits, and what each worker does."""
    return render(request, "judging/workers.html", {"report": workers_report(request.user)})


@require_safe
@never_cache
def livez(request: HttpRequest) -> JsonResponse:
    """Answer 200: this process answers requests."""
    return JsonResponse({"status": OK})


@require_safe
@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    """Answer 200 if database, schema, broker and a worker are there, else 503; with each part and why it is not."""
    found = readiness()
    return JsonResponse(found, status=200 if set(found.values()) == {OK} else 503)


@require_safe
@never_cache
def healthz(request: HttpRequest) -> JsonResponse:
    """Answer 200 if this process reaches its database, and that fits this program; 503 if not.

    With a full disk the status is "degraded", and still 200: a proxy must not end reading too.
    """
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        problems, refused = lasting_schema_problems(), refused_writes()
    except DatabaseError:
        failed = {"status": "failed", "database": "does not answer"} | full_folder()
        return JsonResponse(failed, status=503)
    if problems:
        lasting_schema_problems.cache_clear()
        return JsonResponse({"status": "failed", "schema": problems}, status=503)
    return JsonResponse({"status": "degraded" if refused else OK} | refused)


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Return figures in the text format of Prometheus to programs that know METRICS_TOKEN; else 401.

    Raises Http404 while that setting is empty.
    """
    if not settings.METRICS_TOKEN:
        raise Http404("METRICS_TOKEN is empty")
    if not constant_time_compare(request.headers.get("Authorization", ""), f"Bearer {settings.METRICS_TOKEN}"):
        return HttpResponse(
            "give Authorization: Bearer METRICS_TOKEN\n", status=401, headers={"WWW-Authenticate": "Bearer"}
        )
    from judging.web.watching.metrics import prometheus_text  # noqa: PLC0415 - a server without a token loads no library

    return HttpResponse(prometheus_text(), content_type="text/plain; version=0.0.4; charset=utf-8")
