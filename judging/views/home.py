"""The home page, by role, and the health check."""

from __future__ import annotations

from functools import cache

from django.db import connection
from django.db.utils import DatabaseError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from judging.models import Campaign, Dataset, Study
from judging.services.backups.schema import schema_problems
from judging.services.overview import overview
from judging.web.limits.full_disks import full_folder, refused_writes
from judging.web.role_checks import SignedInRequest, signed_in

LATEST_ROWS = 6


@require_safe
@signed_in
def home(request: SignedInRequest) -> HttpResponse:
    """Show what runs, what is new and what waits to researchers, and open campaigns to annotators."""
    user = request.user
    context: dict[str, object] = {}
    if user.is_researcher:
        context |= {
            "datasets": Dataset.objects.visible_to(user).with_counts().order_by("-id")[:LATEST_ROWS],
            "dataset_count": Dataset.objects.visible_to(user).count(),
            "studies": Study.objects.visible_to(user).with_counts()[:LATEST_ROWS],
            "study_count": Study.objects.visible_to(user).count(),
            "overview": overview(user),
        }
    if user.is_annotator:
        context["campaigns"] = Campaign.objects.open_to(user).with_own_progress(user)
    return render(request, "home.html", context)


@require_safe
@never_cache
def healthz(request: HttpRequest) -> JsonResponse:
    """Answer 200 if this process reaches its database, and that fits this program; 503 if not.

    With a full disk the status is "degraded", and still 200: a proxy must not end reading too.
    """
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        problems, refused = _lasting_problems(), refused_writes()
    except DatabaseError:
        failed = {"status": "failed", "database": "does not answer"} | full_folder()
        return JsonResponse(failed, status=503)
    if problems:
        _lasting_problems.cache_clear()
        return JsonResponse({"status": "failed", "schema": problems}, status=503)
    return JsonResponse({"status": "degraded" if refused else "ok"} | refused)


@cache
def _lasting_problems() -> list[str]:
    """Compare the schema with the models, once while it fits."""
    return schema_problems()


@require_safe
def favicon(request: HttpRequest) -> HttpResponse:
    """Redirect to the icon. Browsers request this address of pages that name none."""
    return redirect(static("favicon.svg"))
