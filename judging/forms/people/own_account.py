"""Forms of people's own accounts: signing in, a new password, the keys of the voting page, and deletion."""

from typing import Any

from allauth.account.forms import ChangePasswordForm, LoginForm, ResetPasswordForm, ResetPasswordKeyForm
from allauth.mfa.base.forms import AuthenticateForm
from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn.forms import AuthenticateWebAuthnForm
from django import forms
from django.db import DatabaseError

from judging.models import User
from judging.services.accounts.vote_keys import ACTION_NAMES, key_problems, keys_of, named_keys, shown_key
from judging.services.full_disks import best_effort, lacks_space

LONGEST_KEYS = 60
PLAIN_LABELS = {
    "email": "E-mail",
    "oldpassword": "Old password",
    "password1": "New password",
    "password2": "Repeat the new password",
}


class VoteKeysForm(forms.Form):
    """One field for each action, with its keys separated by spaces."""

    def __init__(self, account: User, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - Django's signature
        super().__init__(*args, **kwargs)
        for action, keys in keys_of(account).items():
            self.fields[action] = _keys_field(action, keys)

    def clean(self) -> dict[str, Any]:
        keys = {action: named_keys(text.split()) for action, text in self.cleaned_data.items()}
        for action, problem in key_problems(keys).items():
            self.add_error(action, f"{problem}.")
        return keys


def _keys_field(action: str, keys: tuple[str, ...]) -> forms.CharField:
    name = ACTION_NAMES[action]
    writing = {"autocomplete": "off", "autocapitalize": "off", "spellcheck": "false", "class": "key-field"}
    return forms.CharField(
        label=name[0].upper() + name[1:],
        required=False,
        max_length=LONGEST_KEYS,
        initial=" ".join(shown_key(key) for key in keys),
        widget=forms.TextInput(attrs=writing),
    )


class PlainLabels(forms.Form):
    """Labels in our words, and nothing in empty fields."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        for name, field in self.fields.items():
            field.label = PLAIN_LABELS.get(name, field.label)
            field.widget.attrs.pop("placeholder", None)
            if name == "oldpassword":
                field.help_text = ""


class SignInForm(PlainLabels, LoginForm):
    """Name and password. The name is sent as `username`."""

    def add_prefix(self, field_name: str) -> str:
        return "username" if field_name == "login" else field_name


class LostPasswordForm(PlainLabels, ResetPasswordForm):
    """The address to which a link goes."""


class PasswordChoiceForm(PlainLabels, ResetPasswordKeyForm):
    """A first password, or one in place of a lost one."""


class NewPasswordForm(PlainLabels, ChangePasswordForm):
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


class SecondFactorForm(AuthenticateForm):
    """The form of allauth. While nothing can be stored, it takes codes of apps alone: no other code can be spent."""

    def clean_code(self) -> str:
        try:
            return str(super().clean_code())
        except DatabaseError as error:
            app = Authenticator.objects.filter(user=self.user, type=Authenticator.Type.TOTP).first()
            code: str = self.cleaned_data["code"]
            if not lacks_space(error) or app is None or not app.wrap().validate_code(code):
                raise
            self.authenticator = app
            return code

    def save(self) -> None:
        _note_use_at_best(self.authenticator)
        super().save()


class SecondFactorKeyForm(AuthenticateWebAuthnForm):
    """The form of allauth, which takes keys also while nothing can be stored: each answers one challenge alone."""

    def save(self) -> None:
        _note_use_at_best(self.cleaned_data["credential"])
        super().save()


def _note_use_at_best(authenticator: Authenticator) -> None:
    authenticator.record_usage = best_effort()(authenticator.record_usage)
