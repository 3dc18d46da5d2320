"""Datasets: the list, one dataset, one context."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from judging.models import Dataset
from judging.views.access import SignedInRequest, researchers_only

CONTEXTS_PER_PAGE = 25
PASSAGE_START = 300  # characters of a context's text shown in the list


@require_safe
@researchers_only
def dataset_list(request: SignedInRequest) -> HttpResponse:
    datasets = Dataset.objects.visible_to(request.user).with_counts().prefetch_related("attributes")
    return render(request, "judging/datasets/list.html", {"datasets": datasets})
