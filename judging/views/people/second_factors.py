"""Second factors of one's own account: pages of allauth with our words. Changing them needs the password again."""

from __future__ import annotations

from allauth.account.views import ReauthenticateView
from allauth.mfa.base.views import IndexView, authenticate
from allauth.mfa.base.views import ReauthenticateView as ReauthenticateByCodeView
from allauth.mfa.recovery_codes.views import GenerateRecoveryCodesView, view_recovery_codes
from allauth.mfa.totp.views import ActivateTOTPView, DeactivateTOTPView
from allauth.mfa.webauthn.views import AddWebAuthnView, ReauthenticateWebAuthnView, RemoveWebAuthnView
from django.urls import reverse_lazy
from django.views import View

from judging.web.role_checks import GuardedView, signed_in

AGAIN, REMOVE_KEY = "Confirm that it is you", "Remove the key"
ENDS = "It no longer lets you in. Without another second factor your recovery codes end too."
HERE = reverse_lazy("mfa_index")


def question(view: type[View], title: str, text: str, button: str, **options: object) -> GuardedView[...]:
    """Return a view of allauth as a page of one sentence and one button."""
    shown = {"title": title, "text": text, "button": button}
    return signed_in(view.as_view(template_name="account/question.html", extra_context=shown, **options))


overview = signed_in(IndexView.as_view())
second_step = authenticate
codes = signed_in(view_recovery_codes)
new_codes = question(GenerateRecoveryCodesView, "New recovery codes", "The old ones end at once.", "Make ten new codes")
add_app = signed_in(ActivateTOTPView.as_view())
remove_app = question(DeactivateTOTPView, "Remove the app", ENDS, "Remove the app", success_url=HERE)
add_key = signed_in(AddWebAuthnView.as_view())
remove_key = question(
    RemoveWebAuthnView, "Remove the key", ENDS, "Remove the key", success_url=HERE, pk_url_kwarg="number"
)
confirm_by_key = signed_in(ReauthenticateWebAuthnView.as_view())
confirm_by_code = question(
    ReauthenticateByCodeView, AGAIN, "Enter a code of your app, or one of your recovery codes.", "Confirm"
)
confirm_by_password = question(
    ReauthenticateView, AGAIN, "Your password is needed again before you change how you sign in.", "Confirm"
)
