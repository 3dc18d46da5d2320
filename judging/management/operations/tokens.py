"""The commands about tokens of the HTTP API."""

from collections.abc import Iterator
from typing import Annotated, Any

from evenhand.options import Option
from judging.management.operations.record import Operation
from judging.models import ApiToken, User
from judging.services.accounts.api_tokens import create_token, revoke_token, tokens_of


def list_or_revoke_tokens(
    account: User,
    *,
    revoke: Annotated[tuple[str, ...], Option("End the token that begins with these characters.")] = (),
) -> dict[str, Any]:
    """List the tokens by which programs use the HTTP API for a person, or end some."""
    for beginning in revoke:
        revoke_token(account, beginning)
    return {"account": account.username, "tokens": [_row(one) for one in tokens_of(account)]}


def add_token(account: User, **chosen: Any) -> dict[str, Any]:  # noqa: ANN401 - options of the service
    """Make a token by which a program uses the HTTP API for a person. It is printed only now."""
    made = create_token(account, **chosen)
    return {"account": account.username, **_row(made.row), "token": made.secret}


def _row(token: ApiToken) -> dict[str, Any]:
    return {
        "token": token.token_key,
        "name": token.name,
        "scopes": token.scopes,
        "expires": token.expiry and token.expiry.isoformat(),
        "last_used": token.last_used and token.last_used.isoformat(),
    }


def _listed(result: dict[str, Any]) -> Iterator[str]:
    for row in result["tokens"]:
        used = (row["last_used"] or "never")[:10]
        yield f"{row['token']}… {row['name']}: {_may(row)}, until {row['expires'][:10]}; last used {used}"
    if not result["tokens"]:
        yield "no tokens"


def _may(row: dict[str, Any]) -> str:
    return ", ".join(row["scopes"]) or "everything"


TOKENS = Operation(
    list_or_revoke_tokens, _listed, examples=("tokens olaf", "tokens olaf --revoke 3f9ac04e11b2d77"), of="account"
)
ADD_TOKEN = Operation(
    add_token,
    lambda row: [f"{row['token']} for {row['account']}: {_may(row)}, until {row['expires'][:10]}; shown only now"],
    examples=("add_token olaf --name notebook --scope read", "add_token olaf --until 2027-06-30"),
    of="account",
    services=(create_token,),
)
