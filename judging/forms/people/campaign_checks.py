"""The form of pairs with known answers, which check annotators."""

from django import forms


class KnownPairsFileForm(forms.Form):
    """A table of pairs with known answers."""

    file = forms.FileField(
        label="Table",
        allow_empty_file=True,  # the reader reports an empty file, with every other problem
        help_text="CSV or JSON Lines with the columns context, first, second, answer (first, second or tie), "
        "and attribute where the campaign has several.",
    )
