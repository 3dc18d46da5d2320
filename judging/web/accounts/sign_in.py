"""How this site signs people in with allauth: by passwords that axes counts, by OpenID Connect, by links of its own."""

import logging
from collections.abc import Sequence

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.utils import get_login_redirect_url
from allauth.core import context
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from allauth.usersessions.adapter import DefaultUserSessionsAdapter
from allauth.usersessions.models import UserSession
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import Resolver404, resolve, reverse

from evenhand.refusals import Refused
from judging.models import Invitation, User
from judging.models.activity_and_looks import Act
from judging.services.accounts.account_changes import path_of_link
from judging.services.accounts.openid_accounts import OpenIdPerson, account_of, person_in
from judging.services.activity import describe_row, note
from judging.services.invitations.joining import CLOSED_REASONS
from judging.web.authentication import LISTED_SESSION
from judging.web.limits.clients import address_of

UNREACHABLE = "The sign-in provider does not answer. Try again later, or sign in with a password."
PROVIDER_FAILED = "The sign-in at the provider did not end. Please try again."

logger = logging.getLogger(__name__)


class OpenIdSignIn(DefaultSocialAccountAdapter):
    """Changes of allauth's ways: accounts and roles by our services, refusals in our words."""

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Find or make the account, and give it its roles. Raises ImmediateHttpResponse with a refusal in words."""
        known = sociallogin.user if sociallogin.is_existing else None
        try:
            account = account_of(_described(sociallogin), known=known)
        except Refused as refused:
            closed = closed_invitation(str(sociallogin.state.get("next", "")))
            raise ImmediateHttpResponse(refuse(request, *closed, *refused.problems)) from refused
        if known is None:
            sociallogin.connect(request, account)
            note(Act.CHANGE, f"{describe_row(account)}: linked with {sociallogin.provider.name}", who=account)

    def on_authentication_error(
        self, request: HttpRequest, provider: object, error: object = None, exception: object = None, **more: object
    ) -> None:
        logger.warning("sign-in at a provider failed: %s %s", error, exception)
        raise ImmediateHttpResponse(refuse(request, PROVIDER_FAILED))


def _described(sociallogin: SocialLogin) -> OpenIdPerson:
    """Return a person as the provider describes them. GitHub has no roles, and only its main address counts."""
    told, chosen = sociallogin.account.extra_data, sociallogin.provider.app.settings
    if sociallogin.provider.id == "github":
        own = [one.email for one in sociallogin.email_addresses if one.primary and one.verified]
        return OpenIdPerson(told["login"], "".join(own), roles=None)
    claims = {**told.get("id_token", {}), **told["userinfo"]}
    return person_in(claims, claim=chosen["claim"], names=chosen["roles"], trusts_email=chosen["trusts_email"])


def refuse(request: HttpRequest, *reasons: str) -> HttpResponse:
    context = {"title": "You are not signed in", "text": " ".join(reasons)}
    return render(request, "account/question.html", context, status=403)


def closed_invitation(path: str) -> list[str]:
    """Return why the invitation at a path is closed; nothing for an open one and for other paths."""
    try:
        found = resolve(path)
    except Resolver404:
        return []
    invitation = Invitation.objects.filter(code=found.kwargs.get("code", "")).first()
    return [CLOSED_REASONS[invitation.state]] if invitation and invitation.state in CLOSED_REASONS else []


class SignIn(DefaultAccountAdapter):
    """Changes of allauth's ways. axes counts wrong passwords in the database, by name and address."""

    def pre_authenticate(self, request: HttpRequest, **credentials: object) -> None:
        """Count nothing here: a limit by address would refuse a whole laboratory behind one."""

    def post_login(self, request: HttpRequest, user: User, **hooks: object) -> HttpResponse:
        """Lead to the page, and list the session. One that travels in its cookie cannot be listed."""
        if getattr(request.session, "travels", False):
            return redirect(get_login_redirect_url(request, hooks["redirect_url"]))
        request.session[LISTED_SESSION] = True
        return super().post_login(request, user, **hooks)

    def get_client_ip(self, request: HttpRequest) -> str:
        return address_of(request) or ""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Admins and invitations make accounts, nobody else."""
        return False

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return reverse("account")

    def get_reset_password_from_key_url(self, key: str) -> str:
        account, _, token = key.partition("-")
        return str(context.request.build_absolute_uri(path_of_link(account, token)))

    def respond_user_inactive(self, request: HttpRequest, user: User) -> HttpResponse:
        messages.error(request, "This account is not active. Ask an admin.")
        return redirect("account_login")


class Sessions(DefaultUserSessionsAdapter):
    """Lets the activity list the sessions that people end."""

    def end_sessions(self, sessions: Sequence[UserSession]) -> None:
        super().end_sessions(sessions)
        for session in sessions:
            note(Act.CHANGE, f"{describe_row(session.user)}: session ended")
