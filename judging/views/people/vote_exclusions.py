"""Leaving a person's votes out of figures, and taking them back in, from the page of vote quality."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from evenhand.options import read_options
from evenhand.units import counted
from judging.models import VoteExclusion
from judging.services.campaigns.vote_exclusions import EXCLUSION_OPTIONS, exclude_rater, restore_votes
from judging.web.form_fields import telling_refusals
from judging.web.options import values_sent
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import dataset_with_changeable_votes


@require_POST
@researchers_only
def rater_exclude(request: SignedInRequest, dataset_id: int) -> HttpResponse:
    """Leave all votes of a person, or those of one campaign, out of figures, with a reason."""
    dataset, campaign = dataset_with_changeable_votes(request, dataset_id, campaign=request.POST.get("campaign", ""))
    sent = {name: value for name, value in values_sent(request.POST).items() if name != "csrfmiddlewaretoken"}
    with telling_refusals(request):
        values = {name: value for name, value in read_options(EXCLUSION_OPTIONS, sent).items() if name != "campaign"}
        exclusion = exclude_rater(dataset, campaign, request.user, **values)
        number = counted(exclusion.votes.count(), "vote")
        messages.success(request, f"{number} of {exclusion.rater} excluded from all figures on {dataset.name}.")
    return redirect("dataset-quality", dataset.pk)


@require_POST
@researchers_only
def votes_restore(request: SignedInRequest, exclusion_id: int) -> HttpResponse:
    """Take excluded votes back into figures."""
    changeable = VoteExclusion.objects.changeable_by(request.user)
    exclusion = get_object_or_404(changeable.select_related("dataset"), pk=exclusion_id)
    number = counted(restore_votes(exclusion, user=request.user), "vote")
    messages.success(request, f"{number} of {exclusion.rater} back in figures.")
    return redirect("dataset-quality", exclusion.dataset_id)
