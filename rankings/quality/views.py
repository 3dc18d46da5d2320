"""The page of the quality of people's votes."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from judging.models import Campaign
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_dataset, visible_runs
from rankings.quality.quality_page import columns_with_values, quality_sentence
from rankings.quality.quality_report import quality_report
from rankings.quality.votes_table import judges_against_votes_table
from rankings.report.forms import AttributeForm

VOTE_FILES = (("csv", "CSV"), ("jsonl", "JSON Lines"), ("parquet", "Parquet"))


@require_safe
@researchers_only
def dataset_quality(request: SignedInRequest, dataset_id: int) -> HttpResponse:
    """Show how carefully each person voted on one attribute, with forms to exclude and restore their votes."""
    dataset = visible_dataset(request, dataset_id)
    form = AttributeForm(request.GET, attributes=list(dataset.attributes.all()))
    attribute = form.chosen()
    report = (
        quality_report(attribute, visible_runs(request).ordinary().filter(dataset=dataset).order_by("pk"))
        if attribute
        else None
    )
    exclusions = dataset.vote_exclusions.select_related("excluded_by", "restored_by")
    context = {
        "dataset": dataset,
        "form": form,
        "report": report,
        "sentence": quality_sentence(report) if report else "",
        "has": columns_with_values(report) if report else {},
        "judges_table": judges_against_votes_table(report.judges, request.GET) if report else None,
        "exclusion_of": {one.rater: one.pk for one in exclusions.active().filter(is_of_one_vote=False)},
        "exclusions": exclusions,
        "vote_files": VOTE_FILES,
        "campaigns": Campaign.objects.visible_to(request.user).filter(attributes=attribute) if attribute else (),
    }
    return render(request, "rankings/quality/quality.html", context)
