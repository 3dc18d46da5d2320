"""Runs: the list, one run and its progress, cancel and resume."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from judging.models import Run
from judging.views.access import SignedInRequest, researchers_only


@require_safe
@researchers_only
def run_list(request: SignedInRequest) -> HttpResponse:
    runs = Run.objects.visible_to(request.user).with_progress().select_related("dataset", "attribute", "judge", "owner")
    return render(request, "judging/runs/list.html", {"runs": runs})
