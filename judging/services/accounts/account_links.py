"""Links by which people choose the password of their account: for invited people and for lost passwords."""

from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.urls import reverse
from django.utils.http import int_to_base36

from evenhand.refusals import Refused
from judging.models import User
from judging.models.activity import Act
from judging.services.activity import noted


class LinkTokens(PasswordResetTokenGenerator):
    """The secrets in links. Those of an account that is not active open nothing."""

    def check_token(self, user: User | None, token: str | None) -> bool:
        return user is not None and user.is_active and super().check_token(user, token)


@noted(Act.CHANGE, what="password link")
def password_link(account: User) -> str:
    """Return the path of a page where the person chooses a password. It works once, for seven days.

    Raises Refused for an account that is not active.
    """
    if not account.is_active:
        raise Refused(f'account: "{account.get_username()}" is not active; restore it first')
    return path_of_link(int_to_base36(account.pk), LinkTokens().make_token(account))


def path_of_link(account: str, token: str) -> str:
    """Return the path of the page. account: its number, to base 36."""
    return reverse("account_reset_password_from_key", args=[account, token])
