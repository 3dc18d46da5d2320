"""Forms of the pairs that check annotators: how often they come, and which pairs are gold."""

from __future__ import annotations

from django import forms

from judging.models import Campaign
from judging.services.campaign_pairs.gold_pairs import FEWEST_UNANIMOUS


def share_field(label: str, help_text: str) -> forms.FloatField:
    widget = forms.NumberInput(attrs={"step": "any"})
    return forms.FloatField(label=label, min_value=0, max_value=1, widget=widget, help_text=help_text)


class CheckSharesForm(forms.Form):
    """How often an annotator gets repeats and gold pairs."""

    repeat_share = share_field(
        "Repeats",
        "0.1: for ten pairs, one of them comes again later, with swapped sides. It takes no vote from others.",
    )
    gold_share = share_field("Gold pairs", "0.1: for ten pairs, one gold pair comes, each at most once.")

    def __init__(self, campaign: Campaign, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]  # Django's own
        self.initial = {"repeat_share": campaign.repeat_share, "gold_share": campaign.gold_share}


class KnownPairsFileForm(forms.Form):
    """A table of pairs with known answers."""

    file = forms.FileField(
        label="Table",
        allow_empty_file=True,  # the reader reports an empty file, with every other problem
        help_text="CSV or JSON Lines with the columns context, first, second, answer (first, second or tie), "
        "and attribute where the campaign has several.",
    )


class UnanimousForm(forms.Form):
    """Gold pairs from votes on which people agree."""

    number = forms.IntegerField(label="Pairs", min_value=1, max_value=10_000, initial=10)
    fewest_votes = forms.IntegerField(
        label="Votes at least",
        min_value=2,
        max_value=1_000,
        initial=FEWEST_UNANIMOUS,
        help_text="People who voted on the pair, all for the same candidate.",
    )
