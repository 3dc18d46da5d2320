"""The page of the quality of people's votes."""

from collections import defaultdict

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from judging.models import Attribute, Campaign, Dataset, User, Vote, VoteExclusion
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_dataset, visible_runs
from rankings.quality.quality_page import columns_with_values, judges_against_votes_table, quality_sentence
from rankings.quality.quality_report import quality_report
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
    exclusions = dataset.vote_exclusions.select_related("campaign", "excluded_by", "restored_by")
    changeable = VoteExclusion.objects.changeable_by(request.user).active()
    context = {
        "dataset": dataset,
        "form": form,
        "report": report,
        "sentence": quality_sentence(report) if report else "",
        "has": columns_with_values(report) if report else {},
        "judges_table": judges_against_votes_table(report.judges, request.GET) if report else None,
        "may_exclude": Dataset.objects.changeable_by(request.user).filter(pk=dataset.pk).exists(),
        "own_campaigns": campaigns_by_rater(attribute, request.user) if attribute else {},
        "exclusions": exclusions,
        "changeable": set(changeable.filter(dataset=dataset).values_list("pk", flat=True)),
        "vote_files": VOTE_FILES,
        "campaigns": Campaign.objects.visible_to(request.user).filter(attributes=attribute) if attribute else (),
    }
    return render(request, "rankings/quality/quality.html", context)


def campaigns_by_rater(attribute: Attribute, user: User) -> dict[str, list[Campaign]]:
    """Return the campaigns of each rater from which a person may exclude the rater's votes."""
    campaigns = Campaign.objects.with_votes_changeable_by(user).filter(attributes=attribute).in_bulk()
    votes = Vote.objects.filter(attribute=attribute, assignment__campaign__in=campaigns).order_by()
    by_rater: dict[str, list[Campaign]] = defaultdict(list)
    for rater, campaign in votes.values_list("rater", "assignment__campaign").distinct():
        by_rater[rater].append(campaigns[campaign])
    return by_rater
