"""The commands about tokens."""

import pytest

from judging.models import ApiToken
from tests.commands import printed, printed_json, refused
from tests.factories import make_token, make_user

pytestmark = pytest.mark.django_db


def test_a_token_made_by_command_is_printed_once(capsys):
    make_user("olaf", "researcher")

    made = printed_json(capsys, "add_token", "olaf", "--name", "notebook", "--scope", "read", "--until", "2999-01-01")
    listed = printed_json(capsys, "tokens", "olaf")

    assert len(made["token"]) == 64
    assert listed["tokens"] == [
        {
            "token": made["token"][:15],
            "name": "notebook",
            "scopes": ["read"],
            "expires": "2999-01-01T00:00:00+00:00",
            "last_used": None,
        }
    ]


def test_tokens_are_ended_by_their_first_characters(capsys):
    kept, ended = (make_token(make_user(name, "researcher"), name="notebook") for name in ("rita", "olaf"))

    assert printed(capsys, "tokens", "olaf", "--revoke", ended[:15]) == "no tokens\n"

    assert [one.token_key for one in ApiToken.objects.all()] == [kept[:15]]
    assert "has none that begins with" in refused(capsys, "tokens", "olaf", "--revoke", kept[:15])[0]
