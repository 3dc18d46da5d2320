"""Forms of accounts, for admins."""

from __future__ import annotations

from django import forms

from judging.models import ANNOTATOR, ROLES
from judging.services.accounts.account_list import STATES
from judging.web.form_fields import FilterForm


class RolesForm(forms.Form):
    """The roles of an account."""

    roles = forms.MultipleChoiceField(
        choices=[(role, role) for role in ROLES], required=False, widget=forms.CheckboxSelectMultiple
    )


class NewAccountForm(RolesForm):
    """A new account, with a password or with a link by which the person chooses one."""

    name = forms.CharField(
        max_length=150, help_text="For signing in: letters, digits and @ . + - _ only. Reports never show it."
    )
    email = forms.EmailField(label="E-mail", required=False, help_text="For your own records; nothing is sent.")
    password = forms.CharField(
        required=False,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text="Empty: you get a link to send, where the person chooses a password.",
    )
    field_order = ("name", "email", "roles", "password")

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.fields["roles"].initial = [ANNOTATOR]


class AccountFilterForm(FilterForm):
    """Filters of the list of accounts."""

    name = forms.CharField(required=False, max_length=150)
    role = forms.ChoiceField(choices=[("", "all"), *((role, role) for role in ROLES)], required=False)
    state = forms.ChoiceField(choices=[("", "all but deleted"), *((state, state) for state in STATES)], required=False)
