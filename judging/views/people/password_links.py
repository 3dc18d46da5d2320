"""The pages of a lost password: a link by mail, and the page that a link from mail or from an admin opens."""

from __future__ import annotations

import allauth.account.views
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

reset_sent = allauth.account.views.password_reset_done


def password_reset(request: HttpRequest) -> HttpResponse:
    """Ask for an address, and mail a link to it. Without a mail server, say who can help."""
    if not settings.EMAIL_HOST:
        return render(request, "account/password_reset.html")
    return allauth.account.views.password_reset(request)


class PasswordChoice(allauth.account.views.PasswordResetFromKeyView):
    """Lets the owner of an account choose a password and signs them in. A used or old link gets a plain page."""

    def render_to_response(self, context: dict[str, object], **options: object) -> HttpResponse:
        """Answer 410 for a link that no longer works."""
        return super().render_to_response(context, status=410 if "token_fail" in context else 200, **options)
