"""Forms of accounts, for admins."""

from django import forms
from django.http import HttpRequest

from judging.forms.option_form import OptionForm
from judging.models import ANNOTATOR, ROLES, Act
from judging.services.accounts.account_changes import create_account
from judging.services.accounts.account_list import STATES
from judging.web.form_fields import FilterForm


def new_account_form(request: HttpRequest) -> OptionForm:
    """Return the form of a new account, with a password or with a link by which the person chooses one."""
    form = OptionForm(request, create_account, initial={"roles": [ANNOTATOR]})
    form.fields["password"].widget = forms.PasswordInput(attrs={"autocomplete": "new-password"})
    return form


class AccountFilterForm(FilterForm):
    """Filters of the list of accounts."""

    name = forms.CharField(required=False, max_length=150)
    role = forms.ChoiceField(choices=[("", "all"), *((role, role) for role in ROLES)], required=False)
    state = forms.ChoiceField(choices=[("", "all but deleted"), *((state, state) for state in STATES)], required=False)


class ActivityFilterForm(FilterForm):
    """Filters of the activity."""

    text = forms.CharField(label="Name", required=False, max_length=150)
    action = forms.ChoiceField(choices=[("", "all"), *((one, one) for one in Act.values)], required=False)
