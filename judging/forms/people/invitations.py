"""Forms of invitations: a link for several people, a file of people, and joining."""

from __future__ import annotations

from django import forms

from judging.models import Invitation
from judging.services.invitations.invitation_setup import (
    DEFAULT_DAYS,
    DEFAULT_PEOPLE,
    LARGEST_PART,
    LONGEST_COMPLETION_CODE,
    MOST_DAYS,
    MOST_PEOPLE,
)


class LinkLimitsForm(forms.Form):
    """The limits and the completion code of invitations."""

    days = forms.IntegerField(
        label="Days", min_value=1, max_value=MOST_DAYS, initial=DEFAULT_DAYS, help_text="Then the link expires."
    )
    most_pairs = forms.IntegerField(
        label="Pairs for each person",
        required=False,
        min_value=1,
        max_value=LARGEST_PART,
        help_text="Then their part is done. Empty: all pairs.",
    )
    completion_code = forms.CharField(
        required=False,
        max_length=LONGEST_COMPLETION_CODE,
        help_text="Shown when no pair is left, for example the code of your study on Prolific. Empty: none.",
    )


class InvitationForm(LinkLimitsForm):
    """A link for several people."""

    admission = forms.ChoiceField(
        label="For",
        choices=Invitation.Admission.choices,
        initial=Invitation.Admission.REGISTRATION,
        widget=forms.RadioSelect(attrs={"class": "lines"}),
    )
    most_people = forms.IntegerField(label="People", min_value=1, max_value=MOST_PEOPLE, initial=DEFAULT_PEOPLE)
    field_order = ("admission", "most_people", "days", "most_pairs", "completion_code")


class PeopleFileForm(LinkLimitsForm):
    """A table of people to invite."""

    file = forms.FileField(
        label="Table",
        allow_empty_file=True,  # the reader reports an empty file, with every other problem
        widget=forms.ClearableFileInput(attrs={"accept": ".csv,text/csv"}),
        help_text="CSV with the column name, email, or both; one line a person.",
    )
    field_order = ("file", "days", "most_pairs", "completion_code")


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
