"""Pages of allauth with our words: sign-in by OpenID Connect and GitHub, lost passwords, and second factors."""

from collections.abc import Callable

from allauth.account.views import (
    LoginView,
    PasswordResetDoneView,
    PasswordResetFromKeyView,
    PasswordResetView,
    ReauthenticateView,
)
from allauth.mfa.base.views import IndexView, authenticate
from allauth.mfa.base.views import ReauthenticateView as ReauthenticateByCodeView
from allauth.mfa.recovery_codes.views import GenerateRecoveryCodesView, ViewRecoveryCodesView
from allauth.mfa.totp.views import ActivateTOTPView, DeactivateTOTPView
from allauth.mfa.webauthn.views import AddWebAuthnView, ReauthenticateWebAuthnView, RemoveWebAuthnView
from allauth.socialaccount.providers.github.views import oauth2_callback, oauth2_login
from allauth.socialaccount.providers.openid_connect import views
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse, reverse_lazy
from django.views import View
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from requests import RequestException

from judging.web.accounts.sign_in import UNREACHABLE, refuse
from judging.web.role_checks import signed_in

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


def providers() -> list[tuple[str, str]]:
    """Return the name of each provider in the settings, and the address that leads to it."""
    openid, github = (settings.SOCIALACCOUNT_PROVIDERS[one]["APPS"] for one in ("openid_connect", "github"))
    named = [(one["name"], reverse("openid_connect_login", args=[one["provider_id"]])) for one in openid]
    return named + [("GitHub", reverse("github_login"))] * len(github)


by_password = LoginView.as_view(extra_context={"providers": providers})  # a template calls it
come_back = never_cache(require_safe(views.callback))


@require_safe
@never_cache
def sign_in(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Lead to the provider. One that does not answer gets a plain page."""
    try:
        response: HttpResponse = views.login(request, provider_id)
    except RequestException:
        return refuse(request, UNREACHABLE)
    return response


def of_github(view: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Return a view of allauth that is there only if GitHub is in the settings."""

    @require_safe
    @never_cache
    def shown(request: HttpRequest) -> HttpResponse:
        if not settings.SOCIALACCOUNT_PROVIDERS["github"]["APPS"]:
            raise Http404("sign-in by GitHub is not set up")
        return view(request)

    return shown


by_github, back_from_github = of_github(oauth2_login), of_github(oauth2_callback)

IS_IT_YOU = "Confirm that it is you"
PASSWORD, CODE = (
    "Your password is needed again before you change how you sign in.",
    "Enter a code of your app or a recovery code.",
)
SCAN = "Scan the picture with an app that makes codes, such as Aegis or FreeOTP. Then enter the code that it shows."
KEY = "A security key, or a passkey of your phone or computer. Your browser asks you to use it."
KEEP = "Print these codes, or keep them with your passwords. Each opens your account once."
FACTOR_ENDS = "It no longer lets you in. Without another second factor your recovery codes end too."
HERE = reverse_lazy("mfa_index")

factor_list = signed_in(IndexView.as_view())
second_step = authenticate
codes = signed_in(asking(ViewRecoveryCodesView, "Recovery codes", KEEP))
new_codes = signed_in(asking(GenerateRecoveryCodesView, "New codes", "The old ones end at once.", "Make ten new codes"))
add_app = signed_in(asking(ActivateTOTPView, "Add an app", SCAN, "Add the app"))
remove_app = signed_in(asking(DeactivateTOTPView, "Remove the app", FACTOR_ENDS, "Remove the app", success_url=HERE))
add_key = signed_in(asking(AddWebAuthnView, "Add a key", KEY, "Add the key", key="addForm"))
remove_key = signed_in(
    asking(RemoveWebAuthnView, "Remove the key", FACTOR_ENDS, "Remove the key", pk_url_kwarg="number", success_url=HERE)
)
confirm_by_password = signed_in(asking(ReauthenticateView, IS_IT_YOU, PASSWORD, "Confirm"))
confirm_by_code = signed_in(asking(ReauthenticateByCodeView, IS_IT_YOU, CODE, "Confirm"))
confirm_by_key = signed_in(asking(ReauthenticateWebAuthnView, IS_IT_YOU, KEY, "Use a key", key="authenticateForm"))
