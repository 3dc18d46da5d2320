"""What campaigns and votes ask for. Forms check the shape; services check the meaning."""

from __future__ import annotations

from typing import Any

from django import forms

from judging.models import ANNOTATOR, Assignment, Attribute, Campaign, Dataset, User
from judging.services.campaigns.campaign_setup import has_votes
from judging.services.campaigns.votes import Shown, change_vote, record_vote, skip

GUIDELINES_HELP = (
    "What annotators read before their first vote, in Markdown: what the attribute means, what counts and what does "
    "not, when it is a tie, and an example or two. Fixed once the first vote is in."
)
TIES_HELP = "Whether “equally good” is an answer. Fixed once the first vote is in."
LONGEST_TIME = 2**31 - 1


def annotators_field() -> forms.Field:
    """People with the role annotator."""
    return forms.ModelMultipleChoiceField(
        User.objects.filter(groups__name=ANNOTATOR, is_active=True).order_by("username"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Who may vote. People can be added and taken out at any time; their votes stay.",
    )


class CampaignForm(forms.Form):
    """A new campaign on one dataset."""

    name = forms.CharField(max_length=200, help_text="Annotators see it: it should not give away what is compared.")
    attribute = forms.ModelChoiceField(Attribute.objects.none(), empty_label=None)
    guidelines = forms.CharField(
        required=False, max_length=50_000, widget=forms.Textarea(attrs={"rows": 10}), help_text=GUIDELINES_HELP
    )
    allow_ties = forms.BooleanField(label="Ties are allowed", required=False, initial=True, help_text=TIES_HELP)
    votes_per_pair = forms.IntegerField(
        min_value=1, max_value=1000, initial=3, help_text="From as many different annotators."
    )
    pairs_per_context = forms.IntegerField(
        required=False,
        min_value=1,
        help_text="How many of the pairs of each context, chosen so that every candidate is in about as many. "
        "Empty for all pairs.",
    )
    context_limit = forms.IntegerField(
        label="Contexts", required=False, min_value=1, help_text="Only the first so many. Empty for all of them."
    )
    seed = forms.IntegerField(
        initial=0,
        min_value=0,
        max_value=2**63 - 1,
        help_text="Of the choice of pairs: the same seed chooses the same pairs again.",
    )
    annotators = annotators_field()

    def __init__(self, dataset: Dataset, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - Django's signature
        super().__init__(*args, **kwargs)
        self.fields["attribute"].queryset = dataset.attributes.all()  # type: ignore[attr-defined]


class CampaignEditForm(forms.Form):
    """What can still be changed about a campaign."""

    guidelines = forms.CharField(
        required=False, max_length=50_000, widget=forms.Textarea(attrs={"rows": 10}), help_text=GUIDELINES_HELP
    )
    allow_ties = forms.BooleanField(label="Ties are allowed", required=False, help_text=TIES_HELP)
    annotators = annotators_field()

    def __init__(self, campaign: Campaign, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - Django's signature
        super().__init__(*args, **kwargs)
        self.initial = {
            "guidelines": campaign.guidelines,
            "allow_ties": campaign.allow_ties,
            "annotators": campaign.annotators.all(),
        }
        for name in ("guidelines", "allow_ties"):
            self.fields[name].disabled = has_votes(campaign)


class PairForm(forms.Form):
    """Which pair an answer is about."""

    pair = forms.UUIDField()


class VoteForm(PairForm):
    """A vote with the pair as it was shown."""

    first = forms.CharField(max_length=100)
    second = forms.CharField(max_length=100)
    choice = forms.CharField(max_length=100)
    milliseconds = forms.IntegerField(required=False, min_value=0, max_value=LONGEST_TIME)

    def record(self, assignment: Assignment) -> None:
        data = self.cleaned_data
        record_vote(assignment, choice=data["choice"], shown=self._shown(), milliseconds=data["milliseconds"])

    def change(self, assignment: Assignment) -> None:
        change_vote(assignment, choice=self.cleaned_data["choice"], shown=self._shown())

    def _shown(self) -> Shown:
        return Shown(self.cleaned_data["first"], self.cleaned_data["second"])


class SkipForm(PairForm):
    """A pair that is given back, and why."""

    reason = forms.CharField(required=False, max_length=100)

    def skip(self, assignment: Assignment) -> None:
        skip(assignment, reason=self.cleaned_data["reason"])
