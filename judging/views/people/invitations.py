"""Invitations to a campaign, for its creator and admins: links, a table of people, and who came in."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import cast

from django import forms
from django.contrib import messages
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from evenhand.csv_text import csv_lines
from evenhand.file_problems import InvalidFile
from evenhand.formats.people_files import read_people
from evenhand.units import counted
from judging.forms.option_form import OptionForm
from judging.forms.people import PeopleFileForm
from judging.models import Campaign, Enrolment, Invitation, User
from judging.services.campaigns.vote_exclusions import excluded_raters
from judging.services.invitations.campaign_people import (
    CampaignPerson,
    identify_person,
    people_in_campaign,
    people_rows,
    people_to_pay,
    remove_person,
    stop_person,
    take_back_person,
)
from judging.services.invitations.invitation_setup import (
    InvitedPeople,
    create_invitation,
    invite_people,
    withdraw_invitation,
)
from judging.services.invitations.messages import EVERYBODY, RECIPIENTS, message_people, people_to_mail
from judging.web.addresses_to_send import address_to_send, voting_address
from judging.web.downloads import attachment
from judging.web.form_fields import showing_refusals, telling_refusals
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.uploaded_files import source_file

PAY_CSV_COLUMNS = ("person", "STUDY_ID", "SESSION_ID", "state", "rater", "votes", "excluded", "skips", "minutes")
PEOPLE_CSV_COLUMNS = ("person", "STUDY_ID", "SESSION_ID", "joined_at", "completed_at", "state")


def inviting_campaign(request: SignedInRequest, campaign_id: int) -> Campaign:
    """Return a campaign to which this person may invite. Raises Http404 for any other."""
    return get_object_or_404(Campaign.objects.editable_by(request.user), pk=campaign_id)


@require_safe
@researchers_only
def campaign_people(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """List the invitations of a campaign and the people who came in."""
    campaign = inviting_campaign(request, campaign_id)
    invitations = list(campaign.invitations.with_counts())
    people, excluded = people_in_campaign(campaign), excluded_raters(campaign)
    accounts = User.objects.filter(pk__in=[one.annotator for one in people])
    left_out = {account.pk for account in accounts if account.rater_name in excluded}
    context = {
        "campaign": campaign,
        "links": [(one, address_to_send(request, one)) for one in invitations],
        "has_personal_links": any(one.person for one in invitations),
        "open_links": sum(one.state == "open" for one in invitations),
        "people": people,
        "taking_part": sum(one.takes_part for one in people),
        "finished": sum(one.state == "finished" and one.annotator not in left_out for one in people),
        "left_out": len(left_out),
        "message_form": message_form(campaign, people),
    }
    return render(request, "judging/people/campaign_people.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@researchers_only
def invitation_new(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Create a link for several people."""
    campaign = inviting_campaign(request, campaign_id)
    form = OptionForm(request, create_invitation, initial={"admission": Invitation.Admission.REGISTRATION})
    form.fields["admission"].widget = forms.RadioSelect({"class": "lines"}, choices=Invitation.Admission.choices)
    if form.is_bound:
        with showing_refusals(form):
            create_invitation(campaign, request.user, **form.values())
            messages.success(request, "Link created. Copy it from the list.")
            return redirect("campaign-people", campaign_id)
    return render(request, "judging/people/invitation_new.html", {"campaign": campaign, "form": form})


@require_http_methods(["GET", "HEAD", "POST"])
@researchers_only
def people_upload(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Invite the people of a table, all of them or nobody."""
    campaign = inviting_campaign(request, campaign_id)
    form = PeopleFileForm(request)
    context: dict[str, object] = {"campaign": campaign, "form": form}
    if request.method == "POST" and form.is_valid():
        try:
            with showing_refusals(form):
                people = read_people(source_file(form.cleaned_data["file"]))
                messages.success(request, described(invite_people(campaign, people, request.user, **form.values())))
                return redirect("campaign-people", campaign_id)
        except InvalidFile as invalid:
            context |= {"problems": invalid.problems, "problem_count": invalid.count}
            return render(request, "judging/people/people_upload.html", context, status=422)
    return render(request, "judging/people/people_upload.html", context)


def described(result: InvitedPeople) -> str:
    links = f"{counted(len(result.invited), 'link')} created: send each person their own."
    if not result.added:
        return links
    return f"{counted(len(result.added), 'person')} with an account added. {links}".replace("persons", "people")


@require_POST
@researchers_only
def invitation_withdraw(request: SignedInRequest, campaign_id: int, invitation_id: int) -> HttpResponse:
    """Close a link. People who came in by it stay."""
    campaign = inviting_campaign(request, campaign_id)
    withdraw_invitation(get_object_or_404(Invitation, pk=invitation_id, campaign=campaign))
    messages.success(request, "Link withdrawn. People who came in by it stay.")
    return redirect("campaign-people", campaign_id)


@require_POST
@researchers_only
def person_change(request: SignedInRequest, campaign_id: int, enrolment_id: int) -> HttpResponse:
    """Remove a person who came in by an invitation, or take them back: the name of the pressed button says which."""
    campaign = inviting_campaign(request, campaign_id)
    enrolment = get_object_or_404(Enrolment.objects.select_related("annotator"), pk=enrolment_id, campaign=campaign)
    with telling_refusals(request):
        (take_back_person if "take_back" in request.POST else remove_person)(enrolment)
        done = "takes part again" if "take_back" in request.POST else "no longer takes part. Votes stay"
        messages.success(request, f"The person {done}.")
    return redirect("campaign-people", campaign_id)


@require_POST
@researchers_only
def person_identify(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Show the person behind a pseudonym, once, and note who asked."""
    campaign = inviting_campaign(request, campaign_id)
    with telling_refusals(request):
        found = identify_person(campaign, rater=request.POST.get("rater", ""))
        platform = "".join(f", {name} {value}" for name, value in found.platform.items() if value)
        messages.info(request, f"{found.rater} is {found.person}{platform}. The activity notes that you asked.")
    return redirect("campaign-people", campaign_id)


@require_POST
@researchers_only
def person_stop(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Take the person behind a pseudonym out of a campaign. Votes stay in figures."""
    campaign = inviting_campaign(request, campaign_id)
    with telling_refusals(request):
        stop_person(campaign, rater=request.POST.get("rater", ""))
        messages.success(request, "The person gets no further pair and cannot come back by a link. Votes still count.")
    return redirect(campaign)


def message_form(campaign: Campaign, people: Sequence[CampaignPerson]) -> OptionForm | None:
    """Return a form that says how many of the people get a mail; None if nobody has an address."""
    form, groups = OptionForm(None, message_people), people_to_mail(campaign, people)
    numbers = {to: sum(bool(one.email) for one in them) for to, them in groups.items()}
    titles = [(to, f"{title} ({numbers[to]})") for to, title in RECIPIENTS.items()]
    cast(forms.ChoiceField, form.fields["to"]).choices = titles
    return form if numbers[EVERYBODY] else None


@require_POST
@researchers_only
def people_message(request: SignedInRequest, campaign_id: int) -> HttpResponse:
    """Mail the people of a campaign, or some of them."""
    campaign, form = inviting_campaign(request, campaign_id), OptionForm(request, message_people)
    with telling_refusals(request):
        done = message_people(campaign, voting_address(request, campaign), **form.values())
        others = f" {done.without_address} without an address: write to them on their platform."
        before = f" {done.mailed_before} got a mail less than a day ago, and none now."
        refused = f" The mail server refused {done.refused}: try again, or write to them otherwise."
        sent = f"Mailed to {done.mailed}." + others * bool(done.without_address) + before * bool(done.mailed_before)
        sent += refused * bool(done.refused)
        messages.success(request, sent)
    return redirect("campaign-people", campaign_id)


@require_POST
@researchers_only
def people_pay(request: SignedInRequest, campaign_id: int) -> StreamingHttpResponse:
    """Download what each person did, by name and pseudonym, and note who asked."""
    campaign = inviting_campaign(request, campaign_id)
    rows = (asdict(one) | {"STUDY_ID": one.study, "SESSION_ID": one.session} for one in people_to_pay(campaign))
    return attachment(csv_lines(rows, columns=PAY_CSV_COLUMNS), name=f"{campaign.name}-to-pay.csv")


@require_safe
@researchers_only
def people_download(request: SignedInRequest, campaign_id: int) -> StreamingHttpResponse:
    """Download the people of a campaign as CSV, with the parameters of the recruiting platform."""
    campaign = inviting_campaign(request, campaign_id)
    lines = csv_lines(people_rows(campaign), columns=PEOPLE_CSV_COLUMNS)
    return attachment(lines, name=f"{campaign.name}-people.csv")


@require_safe
@researchers_only
def links_download(request: SignedInRequest, campaign_id: int) -> StreamingHttpResponse:
    """Download the personal links of a campaign as CSV, to send them with a mail program."""
    campaign = inviting_campaign(request, campaign_id)
    personal = campaign.invitations.with_counts().exclude(person="").order_by("pk")
    rows = (
        {
            "person": one.person,
            "link": address_to_send(request, one),
            "expires_at": one.expires_at.isoformat(),
            "state": one.state,
        }
        for one in personal
    )
    lines = csv_lines(rows, columns=("person", "link", "expires_at", "state"))
    return attachment(lines, name=f"{campaign.name}-links.csv")
