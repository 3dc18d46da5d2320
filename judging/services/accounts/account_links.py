"""Links by which people choose the password of their account: for invited people and for lost passwords."""

from __future__ import annotations

from django.contrib.auth.tokens import default_token_generator
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from evenhand.refusals import Refused
from judging.models import User
from judging.models.activity import Act
from judging.services.activity import noted


@noted(Act.CHANGE, what="password link")
def password_link(account: User) -> str:
    """Return the path of a page where the person chooses a password. It works once, for seven days.

    Raises Refused for an account that is not active.
    """
    if not account.is_active:
        raise Refused(f'account: "{account.get_username()}" is not active; restore it first')
    key = urlsafe_base64_encode(force_bytes(account.pk))
    return reverse("password-choose", args=[key, default_token_generator.make_token(account)])
