"""The home page, by role, and the health check."""

from __future__ import annotations

from django.db import connection
from django.db.models import QuerySet
from django.db.utils import DatabaseError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from judging.models import Campaign, Dataset, Run, User
from judging.web.access import SignedInRequest, signed_in

LATEST = 6


@require_safe
@signed_in
def home(request: SignedInRequest) -> HttpResponse:
    """What this person can do next."""
    user = request.user
    context: dict[str, object] = {}
    if user.is_researcher:
        context |= {
            "datasets": Dataset.objects.visible_to(user).with_counts().order_by("-id")[:LATEST],
            "runs": latest_runs(user),
        }
    if user.is_annotator:
        context["campaigns"] = Campaign.objects.open_to(user).with_own_progress(user)
    return render(request, "home.html", context)


def latest_runs(user: User) -> QuerySet[Run]:
    runs = Run.objects.visible_to(user).with_progress()
    return runs.select_related("dataset", "attribute", "judge", "owner")[:LATEST]


@require_safe
@never_cache
def healthz(request: HttpRequest) -> JsonResponse:
    """200 while this process answers and reaches its database, 503 otherwise."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return JsonResponse({"status": "failed", "database": "does not answer"}, status=503)
    return JsonResponse({"status": "ok"})


@require_safe
def favicon(request: HttpRequest) -> HttpResponse:
    """For pages that name no icon (Django's administration): browsers ask at this address."""
    return redirect(static("favicon.svg"))
