"""The page behind an invitation link: join with an account, create one, or start as a platform's participant."""

from collections.abc import Mapping

from allauth.account.utils import perform_login
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from judging.forms.people import RegistrationForm
from judging.models import Invitation, User
from judging.services.invitations.joining import (
    CLOSED_REASONS,
    NO_PARTICIPANT,
    NOT_AN_ANNOTATOR,
    PLATFORM_PARAMETERS,
    TOKEN,
    CannotJoin,
    PlatformArrival,
    enter_from_platform,
    join_campaign,
    known_participant,
    register_and_join,
)
from judging.services.invitations.signed_links import signed_arrival
from judging.web.form_fields import showing_refusals

PASSWORD_BACKEND = "django.contrib.auth.backends.ModelBackend"
CAME_AS, MOST_REMEMBERED = "participants", 50
"""Signed cookie with the accounts as which a browser came from platforms, and the number of accounts that it keeps."""
SECONDS_REMEMBERED = 365 * 24 * 3600
UNKNOWN_INVITATION = "This invitation does not exist. Perhaps a part of the link is missing."


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def join_page(request: HttpRequest, code: str) -> HttpResponse:
    """Show an invitation. Posting brings the person into the campaign, and leads to the first pair."""
    invitation = Invitation.objects.filter(code=code).select_related("campaign").first()
    if invitation is None:
        return show_closed(request, UNKNOWN_INVITATION, status=404)
    try:
        if invitation.admission == Invitation.Admission.PLATFORM:
            return join_from_platform(request, invitation)
        return join_with_account(request, invitation)
    except CannotJoin as refusal:
        return show_closed(request, str(refusal), status=410)


def join_with_account(request: HttpRequest, invitation: Invitation) -> HttpResponse:
    """Join with the account that is signed in, or register one. Raises CannotJoin."""
    if takes_part(request, invitation):
        return redirect("annotate", invitation.campaign_id)
    if isinstance(request.user, User) and request.user.is_authenticated:
        return join_signed_in(request, invitation, request.user)
    refuse_closed(invitation)
    registers = invitation.admission == Invitation.Admission.REGISTRATION
    form = RegistrationForm(request.POST or None) if registers else None
    if request.method == "POST" and form is not None and form.is_valid():
        with showing_refusals(form):
            account = register_and_join(
                invitation, name=form.cleaned_data["name"], password=form.cleaned_data["password"]
            )
            return signed_in_at_campaign(request, account, invitation)
    return show_invitation(request, invitation, form=form)


def join_signed_in(request: HttpRequest, invitation: Invitation, annotator: User) -> HttpResponse:
    if request.method == "POST":
        join_campaign(invitation, annotator=annotator)
        return redirect("annotate", invitation.campaign_id)
    refuse_closed(invitation)
    if not annotator.is_annotator:
        raise CannotJoin(NOT_AN_ANNOTATOR)
    return show_invitation(request, invitation)


def join_from_platform(request: HttpRequest, invitation: Invitation) -> HttpResponse:
    """Start as the participant whom the address or the form names. Raises CannotJoin."""
    arrival = arrival_in(request.POST if request.method == "POST" else request.GET)
    if not arrival.is_complete:
        raise CannotJoin(NO_PARTICIPANT)
    if invitation.signed_only:
        arrival = signed_arrival(arrival, site=request.get_host(), keys=settings.PROLIFIC_KEYS)
    if known_participant(arrival, came_as(request)) is None:
        refuse_closed(invitation)
    if request.user.is_authenticated and request.user.has_usable_password():
        return show_invitation(request, invitation, other_account=True)
    if request.method == "POST":
        account = enter_from_platform(invitation, arrival=arrival, came_as=came_as(request))
        return remember(signed_in_at_campaign(request, account, invitation), [*came_as(request), account.pk])
    return show_invitation(request, invitation, arrival=arrival)


def signed_in_at_campaign(request: HttpRequest, account: User, invitation: Invitation) -> HttpResponse:
    """Sign a person in whom no password showed, and lead them to their first pair."""
    account.backend = PASSWORD_BACKEND  # as Django’s authenticate() does
    return perform_login(request, account, redirect_url=reverse("annotate", args=[invitation.campaign_id]))


def arrival_in(values: Mapping[str, str]) -> PlatformArrival:
    """Read the parameters that a platform adds to a link. A value that cannot be stored names nobody."""
    for platform, names in PLATFORM_PARAMETERS.items():
        if values.get(names[0]):
            given = (values.get(name, "").strip() for name in names)
            return PlatformArrival(*given, platform=platform, token=values.get(TOKEN, "").strip())
    return PlatformArrival()


def came_as(request: HttpRequest) -> list[int]:
    """Return the keys of the accounts as which this browser came from platforms before."""
    kept = request.get_signed_cookie(CAME_AS, "", salt=CAME_AS) or ""
    return [int(key) for key in kept.split(".") if key]


def remember(response: HttpResponse, accounts: list[int]) -> HttpResponse:
    kept = ".".join(map(str, list(dict.fromkeys(accounts))[-MOST_REMEMBERED:]))
    response.set_signed_cookie(
        *(CAME_AS, kept),
        salt=CAME_AS,
        max_age=SECONDS_REMEMBERED,
        httponly=True,
        secure=settings.SESSION_COOKIE_SECURE,
        samesite="Lax",
    )
    return response


def takes_part(request: HttpRequest, invitation: Invitation) -> bool:
    """Return True if the person who is signed in takes part already."""
    user = request.user
    return user.is_authenticated and user.is_annotator and invitation.campaign.annotators.contains(user)


def refuse_closed(invitation: Invitation) -> None:
    if closed := CLOSED_REASONS.get(invitation.state):
        raise CannotJoin(closed)


def show_invitation(request: HttpRequest, invitation: Invitation, **context: object) -> HttpResponse:
    return render(request, "judging/people/join.html", {"campaign": invitation.campaign, **context})


def show_closed(request: HttpRequest, reason: str, *, status: int) -> HttpResponse:
    return render(request, "judging/people/cannot_join.html", {"reason": reason}, status=status)
