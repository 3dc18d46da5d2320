"""Tokens of the HTTP API: making and ending them, and what each may do."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated

from django.db.models import Q, QuerySet
from django.utils import timezone
from knox.models import get_digest_token
from knox.settings import CONSTANTS

from evenhand.options import Option
from evenhand.refusals import Refused
from judging.models import ApiToken, User
from judging.models.activity_and_looks import Act
from judging.services.activity import noted

SCOPES = {
    "read": "read: all that you may see",
    "judge": "judge: judges, prompts, runs, studies, campaigns and votes",
    "upload": "upload: datasets, and judgments made elsewhere",
}
SCOPE_OF_ADDRESS: Mapping[str, str] = {
    "datasets": "upload",
    **dict.fromkeys(("judges", "prompts", "runs", "studies", "reports", "campaigns"), "judge"),
    **dict.fromkeys(("votes", "vote-exclusions", "own-campaigns", "join"), "judge"),
}
"""First part of an address of the API -> the scope of its changes. Others need a token for everything."""
USUAL_LIFE = timedelta(days=365)


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token just made. secret: what programs send; it is stored nowhere."""

    row: ApiToken
    secret: str


@noted(Act.CREATE, what="token")
def create_token(
    account: User,
    *,
    name: Annotated[str, Option("Where you use it, such as a program.", "Name", longest=100)] = "a program",
    scopes: Annotated[
        Collection[str],
        Option(
            "Choose none for all that you may do, accounts too.", "It may", choices=SCOPES, argument="scope", most=3
        ),
    ] = (),
    expires: Annotated[
        datetime | None,
        Option("It ends at this time, in UTC; without it, in a year.", "Until", if_none="in a year", argument="until"),
    ] = None,
) -> NewToken:
    """Make a token for programs. Raises Refused for an end in the past and for an account that is not active."""
    end = expires or timezone.now() + USUAL_LIFE
    if end <= timezone.now():
        raise Refused(f"expires: {end:%Y-%m-%d %H:%M} UTC is past")
    if not account.is_active:
        raise Refused(f'account: "{account.get_username()}" is not active; restore it first')
    digest, secret = get_digest_token()
    beginning = secret[: CONSTANTS.TOKEN_KEY_LENGTH]
    row = ApiToken(digest=digest, token_key=beginning, user=account, expiry=end, name=name.strip(), scopes=list(scopes))
    row.save(force_insert=True)
    return NewToken(row, secret)


def tokens_of(account: User) -> QuerySet[ApiToken]:
    """Return the tokens of an account that have not ended, the newest first."""
    return ApiToken.objects.filter(Q(expiry=None) | Q(expiry__gt=timezone.now()), user=account).order_by("-created")


@noted(Act.DELETE, what="token")
def revoke_token(account: User, beginning: str) -> None:
    """End one token, by its first characters. Raises Refused if the account has none such."""
    if not ApiToken.objects.filter(user=account, token_key=beginning).delete()[0]:
        raise Refused(f'token: "{account.get_username()}" has none that begins with "{beginning}"')


def revoke_tokens(account: User) -> None:
    """End all tokens of an account."""
    ApiToken.objects.filter(user=account).delete()


def refusal_of(token: ApiToken, method: str, path: str) -> str:
    """Return why a token does not suffice for a request, or "". path: the address below /api/."""
    needed = "read" if method in ("GET", "HEAD", "OPTIONS") else SCOPE_OF_ADDRESS.get(path.split("/")[0])
    if not token.scopes or needed in token.scopes:
        return ""
    return f"this token may {', '.join(token.scopes)}; this needs {needed or 'a token without scopes'}"


class TokensEnd:
    """A rule of passwords for Django's hook of changed ones: with a new password, all tokens end."""

    def validate(self, password: str, user: User | None = None) -> None:
        """Accept every password."""

    def get_help_text(self) -> str:
        return "With a new password, all tokens end."

    def password_changed(self, password: str, user: User) -> None:
        revoke_tokens(user)
