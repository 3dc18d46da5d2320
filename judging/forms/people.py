"""Forms about people: accounts, one's own account with its keys and second factors, invitations and consent."""

from typing import Any

from allauth.account.forms import ChangePasswordForm, LoginForm, ResetPasswordForm, ResetPasswordKeyForm
from allauth.mfa.base.forms import AuthenticateForm
from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn.forms import AuthenticateWebAuthnForm
from django import forms
from django.db import DatabaseError
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django_filters import rest_framework as filters

from judging.forms.option_form import OptionForm
from judging.models import ANNOTATOR, ROLES, Act, User
from judging.services.accounts.account_changes import create_account
from judging.services.accounts.account_list import STATES, in_state
from judging.services.accounts.vote_keys import ACTION_NAMES, key_problems, keys_of, named_keys, shown_key
from judging.services.full_disks import best_effort, lacks_space
from judging.services.invitations.invitation_setup import invite_people

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


def new_account_form(request: HttpRequest) -> OptionForm:
    """Return the form of a new account, with a password or with a link by which the person chooses one."""
    form = OptionForm(request, create_account, initial={"roles": [ANNOTATOR]})
    form.fields["password"].widget = forms.PasswordInput(attrs={"autocomplete": "new-password"})
    return form


class AccountFilter(filters.FilterSet):
    """Filters of the list of accounts, of its page and the HTTP API."""

    name = filters.CharFilter(method="filter_name", label="Name", max_length=150)
    role = filters.ChoiceFilter("groups__name", label="Role", choices=[(one, one) for one in ROLES], empty_label="all")
    state = filters.ChoiceFilter(
        method=lambda accounts, name, state: accounts.filter(in_state(state)),
        label="State",
        choices=[(one, one) for one in STATES],
        empty_label="all but deleted",
    )

    def filter_name(self, accounts: QuerySet[User], name: str, text: str) -> QuerySet[User]:
        return accounts.filter(Q(username__icontains=text) | Q(email__icontains=text))

    def filter_queryset(self, accounts: QuerySet[User]) -> QuerySet[User]:
        found = super().filter_queryset(accounts)
        return found if self.form.cleaned_data.get("state") else found.filter(in_state(""))


class ActivityFilter(filters.FilterSet):
    """Filters of the activity, of its page and the HTTP API."""

    text = filters.CharFilter(method=lambda rows, name, text: rows.matching(text), label="Name", max_length=150)
    action = filters.ChoiceFilter(choices=Act.choices, empty_label="all")


class PeopleFileForm(OptionForm):
    """A table of people to invite, and the limits of their links."""

    file = forms.FileField(
        label="Table",
        allow_empty_file=True,  # the reader reports an empty file, with every other problem
        widget=forms.ClearableFileInput(attrs={"accept": ".csv,text/csv"}),
        help_text="CSV with the column name, email, or both; one line a person.",
    )

    def __init__(self, request: HttpRequest) -> None:
        super().__init__(request, invite_people)
        self.files = request.FILES


class RegistrationForm(forms.Form):
    """An account that a person creates to join a campaign."""

    name = forms.CharField(
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "username"}),
        help_text="You sign in with it. Reports never show it.",
    )
    password = forms.CharField(
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text="At least eight characters.",
    )
    password_again = forms.CharField(
        label="Password again", strip=False, widget=forms.PasswordInput(attrs={"autocomplete": "new-password"})
    )

    def clean_password_again(self) -> str:
        again: str = self.cleaned_data["password_again"]
        if again != self.cleaned_data.get("password", again):
            raise forms.ValidationError("The two passwords differ.")
        return again


class ConsentForm(forms.Form):
    """The version that an annotator accepts."""

    version = forms.IntegerField(min_value=1)
