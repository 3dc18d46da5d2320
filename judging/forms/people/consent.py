"""The form by which an annotator accepts a consent text."""

from django import forms


class ConsentForm(forms.Form):
    """The version that an annotator accepts."""

    version = forms.IntegerField(min_value=1)
