"""The form that changes a campaign, and the fields that it shares with a new one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.db.models import QuerySet

from judging.models import ANNOTATOR, Campaign, User
from judging.models.labelling.answer_rules import FEWEST_LEVELS, MOST_LEVELS
from judging.services.campaigns.answer_rules import CHANGEABLE, has_votes
from judging.services.campaigns.asked_attributes import LONGEST_QUESTION
from judging.services.campaigns.guidelines import LONGEST_GUIDELINES
from judging.web.form_fields import DeadlineInput


class CampaignEditForm(forms.Form):
    """Changes to a campaign. Question and allowed answers are fixed once a vote is recorded."""

    guidelines = forms.CharField(
        required=False,
        max_length=LONGEST_GUIDELINES,
        widget=forms.Textarea(attrs={"rows": 10}),
        help_text="Annotators read them before their first vote. In Markdown: what the attribute means, what counts "
        "and what does not, when to vote for a tie, and an example or two.",
    )
    allow_ties = forms.BooleanField(
        label="Ties are allowed",
        required=False,
        initial=True,
        help_text="Annotators may answer “equally good”. Fixed after the first vote.",
    )
    allow_both_bad = forms.BooleanField(
        label="“Both bad” is allowed", required=False, help_text="Counted, but excluded from figures."
    )
    allow_cannot_judge = forms.BooleanField(
        label="“Cannot judge” is allowed",
        required=False,
        help_text="Counted, but excluded from figures. Unlike a skip, it takes one of the pair’s votes.",
    )
    strength_levels = forms.IntegerField(
        required=False,
        min_value=FEWEST_LEVELS,
        max_value=MOST_LEVELS,
        help_text="Annotators may say how much better a text is, from 1 to this number (empty: not asked).",
    )
    confidence_levels = forms.IntegerField(
        required=False,
        min_value=FEWEST_LEVELS,
        max_value=MOST_LEVELS,
        help_text="Annotators may say how sure they are, from 1 to this number (empty: not asked).",
    )
    take_comments = forms.BooleanField(
        label="Comments", required=False, help_text="Annotators may write a comment on each vote."
    )
    deadline = forms.DateTimeField(
        required=False,
        widget=DeadlineInput(),
        help_text="In UTC. The campaign is closed from then on (empty: no deadline).",
    )
    annotators = forms.ModelMultipleChoiceField(
        User.objects.filter(groups__name=ANNOTATOR, is_active=True).order_by("username"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="People who may vote. You can add and remove them at any time; their votes stay.",
    )

    def offer_annotators(self, annotators: QuerySet[User]) -> None:
        """Offer only these people."""
        self.fields["annotators"].queryset = annotators  # type: ignore[attr-defined]

    def __init__(self, campaign: Campaign, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - Django's signature
        super().__init__(*args, **kwargs)
        self.initial = {name: getattr(campaign, name) for name in ("guidelines", *CHANGEABLE)} | {
            "deadline": campaign.deadline,
            "annotators": campaign.annotators.all(),
        }
        self.question_fields = self._add_questions(campaign.own_questions())
        is_fixed = has_votes(campaign)
        for name in CHANGEABLE if campaign.is_of_ratings else ():
            del self.fields[name]  # they are about answers on pairs
        for name in (*CHANGEABLE, *self.question_fields):
            if name in self.fields:
                self.fields[name].disabled = is_fixed

    def _add_questions(self, questions: Mapping[str, str]) -> dict[str, str]:
        """Add a field for the question on each attribute. Returns name of the field -> name of the attribute."""
        names = {f"question_{number}": attribute for number, attribute in enumerate(questions)}
        if len(names) == 1:
            names = dict.fromkeys(["question"], *questions)
        for name, attribute in names.items():
            self.fields[name] = forms.CharField(
                label="Question" if name == "question" else f"Question on {attribute}",
                required=False,
                max_length=LONGEST_QUESTION,
                initial=questions[attribute],
                help_text="Asked above each pair (empty: as in prompts, “Which summary is more coherent?”). "
                "Fixed after the first vote.",
            )
        self.order_fields(["guidelines", *names])
        return names

    def questions(self) -> dict[str, str]:
        """Return attribute -> own question of a valid form."""
        return {attribute: self.cleaned_data[name] for name, attribute in self.question_fields.items()}
