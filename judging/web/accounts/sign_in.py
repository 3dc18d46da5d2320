"""How this site signs people in with allauth: names and passwords that axes counts, and links of its own."""

from collections.abc import Sequence

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.utils import get_login_redirect_url
from allauth.core import context
from allauth.usersessions.adapter import DefaultUserSessionsAdapter
from allauth.usersessions.models import UserSession
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from judging.models import User
from judging.models.activity import Act
from judging.services.accounts.account_links import path_of_link
from judging.services.activity import describe_row, note
from judging.web.authentication import LISTED_SESSION
from judging.web.limits.client_addresses import address_of


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
