"""Forms of the people of a campaign: files of people and of pairs with known answers."""

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
