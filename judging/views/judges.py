"""Judges: the list, one judge, adding one."""

from __future__ import annotations

from django.db.models import Count, Q
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from judging.models import Judge, Run
from judging.views.access import SignedInRequest, researchers_only


@require_safe
@researchers_only
def judge_list(request: SignedInRequest) -> HttpResponse:
    """Judges are shared; the number of runs counts only those that this person may see."""
    visible = Q(runs__in=Run.objects.visible_to(request.user).values("pk"))
    judges = Judge.objects.annotate(run_count=Count("runs", filter=visible))
    return render(request, "judging/judges/list.html", {"judges": judges})
