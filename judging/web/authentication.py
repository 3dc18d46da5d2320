"""Signing in by password or token, and the time of each person's last request."""

import secrets
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from allauth.usersessions.models import UserSession
from axes.handlers.database import AxesDatabaseHandler
from axes.helpers import get_client_username
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.contrib.auth.models import update_last_login
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from knox.auth import TokenAuthentication as HashedTokenAuthentication
from rest_framework.authentication import TokenAuthentication
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request

from evalsite.log_lines import add_numbers, number_lines
from judging.models import Act, ApiToken, User
from judging.models.activity_and_looks import Look
from judging.services.accounts.api_tokens import refusal_of
from judging.services.activity import ASKER, SHOWN, describe_row, note
from judging.services.full_disks import best_effort
from judging.web.limits.clients import (
    UNSTORED,
    address_of,
    forget_unstored,
    unstored_failures,
)

PRECISION = timedelta(minutes=5)
LISTED_SESSION = "listed"
"""In a session: people see it among theirs, with the time when it was last used."""
USED_SESSIONS: dict[str, datetime] = {}
"""Session key -> when this process stored that it was used."""
MOST_USED = 10_000


class Argon2(Argon2PasswordHasher):
    """Argon2id with 19 MiB, two rounds and one thread, the least that OWASP recommends: some 20 ms of processor."""

    time_cost, memory_cost, parallelism = 2, 19 * 1024, 1


class SignInAttempts(AxesDatabaseHandler):
    """Attempts in the database. Failures that it cannot store count in this process."""

    def user_login_failed(
        self, sender: object, credentials: Mapping[str, str], request: HttpRequest, **signal: object
    ) -> None:
        with best_effort():
            super().user_login_failed(sender, credentials, request, **signal)
            return
        UNSTORED.append((timezone.now(), address_of(request), get_client_username(request, credentials)))
        request.axes_locked_out = self.is_locked(request, credentials)

    def get_failures(self, request: HttpRequest, credentials: Mapping[str, str] | None = None) -> int:
        stored: int = super().get_failures(request, credentials)
        return stored + unstored_failures(request).count(get_client_username(request, credentials))

    def user_logged_in(self, sender: object, request: HttpRequest, user: User, **signal: object) -> None:
        forget_unstored(user.get_username())
        with best_effort():
            super().user_logged_in(sender, request, user, **signal)

    def reset_attempts(self, *, username: str | None = None, **chosen: object) -> int:
        """Forget attempts, in the database and in this process. Other processes keep theirs until their lock ends."""
        if username:
            forget_unstored(username)
        forgotten: int = super().reset_attempts(username=username, **chosen)
        return forgotten

    user_logged_out = best_effort()(AxesDatabaseHandler.user_logged_out)


@best_effort()
def note_sign_in(sender: type[User], user: User, **signal: object) -> None:
    """Store the time, in place of Django's receiver, and the activity."""
    update_last_login(sender, user)
    note(Act.SIGN_IN, describe_row(user), who=user)


def know_who_asks(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: let services know the person, also one whose token is read later. Number the lines of the log."""

    def knowing(request: HttpRequest) -> HttpResponseBase:
        token = ASKER.set(lambda: request.user if isinstance(request.user, User) else None)
        number = secrets.token_hex(6)
        number_lines(request=number)  # also those after the answer, where Django logs refusals
        shown = SHOWN.set((Look.Door.API if request.path_info.startswith("/api/") else Look.Door.PAGE, set()))
        try:
            response = get_response(request)
        finally:
            ASKER.reset(token)
            SHOWN.reset(shown)
        response["X-Request-ID"] = number
        return response

    return knowing


def note_last_seen(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: note the request of a person who is signed in."""

    def noted(request: HttpRequest) -> HttpResponseBase:
        if isinstance(request.user, User):
            note_seen(request.user)
            note_session(request)
        return get_response(request)

    return noted


@best_effort()
def note_session(request: HttpRequest) -> None:
    """Store that a listed session is used, at most once in five minutes by each process."""
    key, now = str(request.session.session_key), timezone.now()
    if LISTED_SESSION not in request.session or getattr(request.session, "travels", False):
        return
    if key in USED_SESSIONS and now - USED_SESSIONS[key] < PRECISION:
        return
    if len(USED_SESSIONS) > MOST_USED:
        USED_SESSIONS.clear()
    USED_SESSIONS[key] = now
    if not UserSession.objects.filter(session_key=key).update(last_seen_at=now):  # a new password changed the key
        UserSession.objects.create_from_request(request)


class SeenTokenAuthentication(HashedTokenAuthentication, TokenAuthentication):
    """Sign-in by token, for what its scopes allow. It notes the request. OpenAPI knows the second class."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        found: tuple[User, ApiToken] | None = super().authenticate(request)
        if found and (refusal := refusal_of(found[1], str(request.method), request.path_info.partition("/api/")[2])):
            raise PermissionDenied(refusal)
        return found

    def validate_user(self, auth_token: ApiToken) -> tuple[User, ApiToken]:
        user, token = super().validate_user(auth_token)
        note_seen(user)
        note_used(token)
        return user, token

    def _cleanup_token(self, auth_token: ApiToken) -> bool:
        """Return True for a token that has ended. The sweeper removes them."""
        return auth_token.expiry is not None and auth_token.expiry <= timezone.now()


@best_effort()
def note_seen(user: User) -> None:
    """Store the time, at most once in five minutes."""
    add_numbers(user=user.pk)
    now = timezone.now()
    if user.last_seen is None or now - user.last_seen > PRECISION:
        User.objects.filter(pk=user.pk).update(last_seen=now)


@best_effort()
def note_used(token: ApiToken) -> None:
    """Store the time, at most once in five minutes."""
    now = timezone.now()
    if token.last_used is None or now - token.last_used > PRECISION:
        ApiToken.objects.filter(pk=token.pk).update(last_used=now)
