"""The pages of a lost password: a link by mail, and the page that a link from mail or from an admin opens."""

from collections.abc import Callable

from allauth.account.views import PasswordResetDoneView, PasswordResetFromKeyView, PasswordResetView
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views import View

QUESTION, LOST = "account/question.html", "Lost your password?"
ADDRESS = (
    "Give the e-mail address of your account, and you get a link to choose a new password. Has it none? Ask an admin."
)
SENT = "If an account has this address, a link is on its way to it. If nothing comes, ask an admin for a link."
NO_MAIL = "Ask an admin. They make a link by which you choose a new password."


def asking(
    view: type[View], title: str, text: str, button: str = "", *, key: str = "", **options: object
) -> Callable[..., HttpResponseBase]:
    """Return a view of allauth as a page with one sentence and one button. key: script of allauth for security keys."""
    shown = {"title": title, "text": text, "button": button, "key": key}
    return view.as_view(template_name=QUESTION, extra_context=shown, **options)


send_link = asking(PasswordResetView, LOST, ADDRESS, "Send the link")
reset_sent = asking(PasswordResetDoneView, "Look at your mail", SENT)


def password_reset(request: HttpRequest) -> HttpResponseBase:
    """Ask for an address, and mail a link to it. Without a mail server, say who can help."""
    return send_link(request) if settings.EMAIL_HOST else render(request, QUESTION, {"title": LOST, "text": NO_MAIL})


class PasswordChoice(PasswordResetFromKeyView):
    """Lets the owner of an account choose a password and signs them in. A used or old link gets a plain page."""

    def render_to_response(self, context: dict[str, object], **options: object) -> HttpResponse:
        """Answer 410 for a link that no longer works."""
        return super().render_to_response(context, status=410 if "token_fail" in context else 200, **options)
