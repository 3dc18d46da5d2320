"""The form by which people delete their own account."""

from __future__ import annotations

from django import forms

from judging.models import User


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
