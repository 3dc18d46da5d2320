"""Forms of the people of a campaign: files of people and of pairs with known answers, joining, and consent."""

from django import forms
from django.http import HttpRequest

from judging.forms.option_form import OptionForm
from judging.services.invitations.invitation_setup import invite_people


class KnownPairsFileForm(forms.Form):
    """A table of pairs with known answers."""

    file = forms.FileField(
        label="Table",
        allow_empty_file=True,  # the reader reports an empty file, with every other problem
        help_text="CSV or JSON Lines with the columns context, first, second, answer (first, second or tie), "
        "and attribute where the campaign has several.",
    )


class ConsentForm(forms.Form):
    """The version that an annotator accepts."""

    version = forms.IntegerField(min_value=1)


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
