"""Forms of consent texts."""

from __future__ import annotations

from django import forms

from judging.services.invitations.consent import LONGEST_CONSENT_TEXT


class ConsentTextForm(forms.Form):
    """The consent text of a campaign."""

    text = forms.CharField(
        required=False,
        max_length=LONGEST_CONSENT_TEXT,
        widget=forms.Textarea(attrs={"rows": 14}),
        help_text="In Markdown: who you are, what is stored, how long, whom to ask. Empty: no consent is asked.",
    )


class ConsentForm(forms.Form):
    """The version that an annotator accepts."""

    version = forms.IntegerField(min_value=1)
