"""Forms of people's own accounts: a new password, and deletion."""

from __future__ import annotations

from django import forms
from django.contrib.auth.forms import PasswordChangeForm, SetPasswordForm

from judging.models import User

REPEATED = "Repeat the new password"


class PasswordChoiceForm(SetPasswordForm):
    """A first password."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.fields["new_password2"].label, self.fields["new_password2"].help_text = REPEATED, ""


class NewPasswordForm(PasswordChoiceForm, PasswordChangeForm):
    """Another password in place of the old one."""


class AccountDeletionForm(forms.Form):
    """Confirms that the owner of an account deletes it. Accounts without a password need none."""

    password = forms.CharField(strip=False, widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}))

    def __init__(self, account: User, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.account = account
        if not account.has_usable_password():
            del self.fields["password"]

    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        if not self.account.check_password(password):
            raise forms.ValidationError("Wrong password.")
        return password
