"""Second factors of one's own account: pages of allauth with our words. Changing them needs the password again."""

from allauth.account.views import ReauthenticateView
from allauth.mfa.base.views import IndexView, authenticate
from allauth.mfa.base.views import ReauthenticateView as ReauthenticateByCodeView
from allauth.mfa.recovery_codes.views import GenerateRecoveryCodesView, ViewRecoveryCodesView
from allauth.mfa.totp.views import ActivateTOTPView, DeactivateTOTPView
from allauth.mfa.webauthn.views import AddWebAuthnView, ReauthenticateWebAuthnView, RemoveWebAuthnView
from django.urls import reverse_lazy

from judging.views.people.password_links import asking
from judging.web.role_checks import signed_in

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
