"""Campaigns as researchers see them: the list, a new one, copies and changes of one, the download of votes."""

from django.contrib import messages
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from evenhand.csv_text import csv_lines
from evenhand.file_problems import InvalidFile
from evenhand.options import options_of
from evenhand.refusals import Refused
from evenhand.units import counted
from judging.forms.campaigns import CampaignEditForm, CampaignForm
from judging.forms.option_form import OptionForm
from judging.models import Campaign, Dataset, User
from judging.services.campaigns.answer_rules import has_votes
from judging.services.campaigns.campaign_changes import change_campaign
from judging.services.campaigns.campaign_copies import copy_campaign
from judging.services.campaigns.campaign_setup import create_campaign, discard_campaign
from judging.services.campaigns.campaign_states import EFFECTS, change_state
from judging.services.campaigns.progress.labelling_effort import EFFORT_FIELDS, labelling_effort
from judging.services.campaigns.progress.working_session import told_progress
from judging.services.exports.exported_ratings import RATING_COLUMNS, every_rating
from judging.services.exports.exported_votes import COLUMNS_OF_PEOPLE, every_vote
from judging.services.invitations.campaign_people import annotators_to_offer
from judging.web.downloads import attachment
from judging.web.form_fields import add_problems_to_fields, showing_refusals, telling_refusals
from judging.web.operations.new_campaigns import CAMPAIGN_OPTIONS, campaign_changes, campaign_settings
from judging.web.options import Offered, find_rows
from judging.web.role_checks import SignedInRequest, researchers_only, signed_in


@require_POST
@researchers_only
def campaign_wanted_width(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Store or remove the goal of a campaign, and show the campaign. Its creator and admins may; others get a 404."""
    campaign = get_object_or_404(Campaign.objects.editable_by(request.user), pk=campaign_id)
    with telling_refusals(request):
        changes = campaign_changes(campaign, {"wanted_width": request.POST.get("width")}, user=request.user)
        change_campaign(campaign, changes, changed_by=request.user)
        width = campaign.wanted_width
        goal = "has no goal now" if width is None else f"has enough votes once the interval is at most {width:g} wide"
        messages.success(request, f"The campaign {goal}.")
    return redirect(campaign)


@require_POST
@researchers_only
def campaign_copy(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Make a draft with the settings of a campaign that the user may see, and show it."""
    campaign = get_object_or_404(Campaign.objects.visible_to(request.user), pk=campaign_id)
    with telling_refusals(request):
        values, people = OptionForm(request, copy_campaign).values(), annotators_to_offer(request.user)
        values |= find_rows(options_of(copy_campaign), values, {"annotator": Offered(people)})
        copy = copy_campaign(campaign, request.user, **values)
        messages.success(request, f"This is a copy of {campaign.name}: a draft without people, with a fresh seed.")
        return redirect(copy)
    return redirect(campaign)


@require_safe
@signed_in
def campaign_list(request: SignedInRequest) -> HttpResponse:
    """Show researchers the campaigns on datasets they may see, and annotators those they take part in.

    `?archived` shows archived ones.
    """
    user, is_archived = request.user, "archived" in request.GET
    visible = Campaign.objects.visible_to(user).select_related("dataset").prefetch_related("asked_attributes")
    campaigns = visible.archived(is_archived=is_archived)
    own = Campaign.objects.open_to(user).archived(is_archived=False)
    return render(
        request,
        "judging/campaigns/list.html",
        {
            "all_campaigns": campaigns.with_progress() if user.is_researcher else None,
            "is_archived": is_archived,
            "archived": visible.archived().count() if user.is_researcher and not is_archived else 0,
            "campaigns": told_progress(own.with_own_progress(user), user) if user.is_annotator else None,
        },
    )


@require_http_methods(["GET", "HEAD", "POST"])
@researchers_only
def campaign_new(request: SignedInRequest) -> HttpResponse:
    """Ask for the dataset (`?dataset=`), then for everything else."""
    datasets = Dataset.objects.visible_to(request.user)
    if not request.GET.get("dataset", "").isdecimal():
        return render(request, "judging/campaigns/new_dataset.html", {"datasets": datasets.with_counts()})
    dataset = get_object_or_404(datasets, pk=request.GET["dataset"])
    form = CampaignForm(dataset, request.POST or None, user=request.user)
    if "effort" in request.POST:
        context = {"dataset": dataset, "form": form, **effort_or_problems(dataset, form, request.user)}
        return render(request, "judging/campaigns/new.html", context)
    if request.method == "POST":
        with showing_refusals(form):
            settings = campaign_settings(dataset, form.values(), user=request.user)
            campaign = create_campaign(dataset, request.user, **settings)
            asked = counted(campaign.pairs.count(), campaign.counted_noun)
            messages.success(request, f"Campaign created with {asked}.")
            return redirect(campaign)
    return render(request, "judging/campaigns/new.html", {"dataset": dataset, "form": form})


@require_POST
@researchers_only
def campaign_effort(request: SignedInRequest, dataset_id: int) -> HttpResponse:
    """Render the pairs, votes and hours of a campaign while its form is filled in."""
    dataset = get_object_or_404(Dataset.objects.visible_to(request.user), pk=dataset_id)
    form = CampaignForm(dataset, request.POST, user=request.user)
    return render(request, "judging/campaigns/_effort.html", effort_or_problems(dataset, form, request.user))


def effort_or_problems(dataset: Dataset, form: CampaignForm, user: User) -> dict[str, object]:
    """Return the effort of the form's campaign, or why there is none. Other fields may still be empty."""
    options = [option for option in CAMPAIGN_OPTIONS if option.name in EFFORT_FIELDS]
    try:
        values = {name: value for name, value in form.values().items() if name in EFFORT_FIELDS}
        return {"effort": labelling_effort(dataset, campaign_settings(dataset, values, user=user, options=options))}
    except Refused as refused:
        return {"problems": refused.problems}


@require_http_methods(["GET", "HEAD", "POST"])
@researchers_only
def campaign_edit(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Change a campaign. Its creator and admins may; others get a 404."""
    campaign = get_object_or_404(Campaign.objects.editable_by(request.user), pk=campaign_id)
    form = CampaignEditForm(campaign, request, user=request.user)
    if request.method == "POST":
        try:
            with showing_refusals(form):
                change_campaign(campaign, form.changes(), changed_by=request.user)
                messages.success(request, "Changes saved.")
                return redirect(campaign)
        except InvalidFile as invalid:
            add_problems_to_fields(form, [f"pairs: {problem}" for problem in invalid.problems])
    return render(
        request, "judging/campaigns/edit.html", {"campaign": campaign, "form": form, "fixed": has_votes(campaign)}
    )


@require_POST
@researchers_only
def campaign_state(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Open, pause or close a campaign. Its creator and admins may; others get a 404."""
    campaign = get_object_or_404(Campaign.objects.editable_by(request.user), pk=campaign_id)
    with telling_refusals(request):
        change_state(campaign, state=request.POST.get("state", ""))
        messages.success(request, f"The campaign is {campaign.state.label.lower()}. {EFFECTS[campaign.state]}")
    return redirect(campaign)


@require_POST
@researchers_only
def campaign_discard(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Delete a campaign without votes. Its creator and admins may; others get a 404."""
    campaign = get_object_or_404(Campaign.objects.editable_by(request.user), pk=campaign_id)
    with telling_refusals(request):
        discard_campaign(campaign)
        messages.success(request, f"Campaign {campaign.name} deleted.")
        return redirect("campaign-list")
    return redirect("campaign", campaign_id)


@require_safe
@researchers_only
def campaign_download(request: SignedInRequest, campaign_id: int) -> StreamingHttpResponse:
    """Download the votes or ratings as CSV, one row each. `import_votes` reads those of votes."""
    campaign = get_object_or_404(Campaign.objects.visible_to(request.user), pk=campaign_id)
    if campaign.is_of_ratings:
        rows = every_rating(campaign.dataset, campaign=campaign, skips=True)
        return attachment(csv_lines(rows, columns=list(RATING_COLUMNS)), name=f"{campaign.name}-ratings.csv")
    lines = csv_lines(every_vote(campaign.dataset, campaign=campaign), columns=COLUMNS_OF_PEOPLE)
    return attachment(lines, name=f"{campaign.name}-votes.csv")
