"""Sign-in by OpenID Connect with allauth: who may come in, and what refusals say."""

import logging

from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import Resolver404, resolve

from evenhand.refusals import Refused
from judging.models import Invitation
from judging.models.activity import Act
from judging.services.accounts.openid_accounts import account_of, person_in
from judging.services.activity import describe_row, note
from judging.services.invitations.joining import CLOSED_REASONS

UNREACHABLE = "The sign-in provider does not answer. Try again later, or sign in with a password."
PROVIDER_FAILED = "The sign-in at the provider did not end. Please try again."

logger = logging.getLogger(__name__)


class OpenIdSignIn(DefaultSocialAccountAdapter):
    """Changes of allauth's ways: accounts and roles by our services, refusals in our words."""

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Find or make the account, and give it its roles. Raises ImmediateHttpResponse with a refusal in words."""
        chosen, provider = sociallogin.provider.app.settings, sociallogin.provider.name
        claims = {**sociallogin.account.extra_data.get("id_token", {}), **sociallogin.account.extra_data["userinfo"]}
        person = person_in(claims, claim=chosen["claim"], names=chosen["roles"], trusts_email=chosen["trusts_email"])
        known = sociallogin.user if sociallogin.is_existing else None
        try:
            account = account_of(person, known=known)
        except Refused as refused:
            closed = closed_invitation(str(sociallogin.state.get("next", "")))
            raise ImmediateHttpResponse(refuse(request, *closed, *refused.problems)) from refused
        if known is None:
            sociallogin.connect(request, account)
            note(Act.CHANGE, f"{describe_row(account)}: linked with {provider}", who=account)

    def on_authentication_error(
        self, request: HttpRequest, provider: object, error: object = None, exception: object = None, **more: object
    ) -> None:
        logger.warning("sign-in by OpenID failed: %s %s", error, exception)
        raise ImmediateHttpResponse(refuse(request, PROVIDER_FAILED))


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
