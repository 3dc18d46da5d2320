"""Second factors: who must have one, and the activity about them."""

from collections.abc import Callable

from allauth.mfa.models import Authenticator
from allauth.mfa.signals import authenticator_added, authenticator_removed, authenticator_reset
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase, JsonResponse
from django.shortcuts import redirect

from judging.models import User
from judging.models.activity_and_looks import Act
from judging.services.accounts.account_list import has_second_factor
from judging.services.activity import describe_row, note
from judging.web.error_pages import is_api

OPEN_WITHOUT = {"account_logout", "account_reauthenticate", "account_change_password", "favicon", "docs", "docs-page"}
"""Addresses for people who have yet to add a second factor, beside those of second factors themselves."""
MISSING = "Your role needs a second factor. Add one to go on."


def needs_second_factor(user: User) -> bool:
    """Return True for a person with a password whose role needs a second factor that they lack."""
    asked = bool(user.roles & {*settings.SECOND_FACTOR_ROLES}) and user.has_usable_password()
    return asked and not has_second_factor(user)


class SecondFactorAsked:
    """Middleware: lead people who must add a second factor to its page. Tokens of programs need none."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_view: object) -> HttpResponseBase | None:
        name = str(request.resolver_match and request.resolver_match.url_name)
        if name in OPEN_WITHOUT or name.startswith("mfa_") or not settings.SECOND_FACTOR_ROLES:
            return None
        if not isinstance(request.user, User) or not needs_second_factor(request.user):
            return None
        if is_api(request):
            return JsonResponse({"detail": MISSING}, status=403)
        messages.warning(request, MISSING)
        return redirect("mfa_index")


def note_changes() -> None:
    """Let the activity list every second factor that people add, remove or replace."""
    for signal, done in (
        (authenticator_added, "added"),
        (authenticator_removed, "removed"),
        (authenticator_reset, "replaced"),
    ):
        signal.connect(noting(done), weak=False, dispatch_uid=f"judging.second_factor.{done}")


def noting(done: str) -> Callable[..., None]:
    def noted(user: User, authenticator: Authenticator, **signal: object) -> None:
        note(Act.CHANGE, f"{describe_row(user)}: {authenticator.get_type_display().lower()} {done}", who=user)

    return noted
