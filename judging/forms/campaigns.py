"""Forms of campaigns and votes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.db.models import QuerySet

from judging.forms.campaign_attributes import AttributesField, ChosenAttributes
from judging.forms.publishing import RunsField
from judging.models import (
    ANNOTATOR,
    Assignment,
    Campaign,
    CampaignState,
    Dataset,
    ReadingAid,
    Run,
    TextFormat,
    User,
)
from judging.models.labelling.answer_rules import ANSWER_RULES, FEWEST_LEVELS, MOST_LEVELS
from judging.services.campaign_pairs.campaign_selection import ALL, D_OPTIMAL, PAIR_RULES, UNSURE
from judging.services.campaigns.answer_rules import CHANGEABLE, VoteDetails, has_votes
from judging.services.campaigns.answers import add_visible_time, skip_pair
from judging.services.campaigns.asked_attributes import LONGEST_QUESTION
from judging.services.campaigns.guidelines import LONGEST_GUIDELINES
from judging.services.campaigns.reading_aids import note_reading_aid
from judging.services.campaigns.votes import ShownPair, change_vote, record_vote
from judging.web.form_fields import shown_when

LARGEST_MILLISECONDS = 2**31 - 1


class DeadlineInput(forms.DateTimeInput):
    """A date and time, as browsers send them."""

    input_type = "datetime-local"

    def __init__(self) -> None:
        super().__init__(format="%Y-%m-%dT%H:%M")


RARE_CAMPAIGN_FIELDS = ("text_format", "random_share", "contexts", "seed", "allow_repeats")


class RulesForm(forms.Form):
    """The parts of a campaign that can be changed later."""

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


class CampaignForm(RulesForm):
    """A new campaign on one dataset."""

    state = forms.ChoiceField(
        label="Start as",
        required=False,
        choices=[("open", "Open: annotators can vote at once"), ("draft", "Draft: nobody votes until you open it")],
        initial="open",
        widget=forms.RadioSelect(attrs={"class": "lines"}),
    )
    name = forms.CharField(max_length=200, help_text="Annotators see it: do not reveal which systems are compared.")
    attributes = AttributesField(
        help_text="Each pair is asked on every chosen attribute, one after the other, in this order (empty: as in the "
        "dataset). The question stands above each pair (empty: as in prompts). Fixed after the first vote.",
    )
    text_format = forms.ChoiceField(
        label="Texts are",
        required=False,
        choices=TextFormat.choices,
        initial=TextFormat.PLAIN,
        help_text="How annotators see contexts and candidates. It cannot be changed later.",
    )
    votes_per_pair = forms.IntegerField(
        min_value=1, max_value=1000, initial=3, help_text="Each vote comes from a different annotator."
    )
    selection = forms.ChoiceField(
        label="Which pairs",
        required=False,
        choices=[(rule, f"{meaning[0].upper()}{meaning[1:]}") for rule, meaning in PAIR_RULES.items()],
        initial=D_OPTIMAL,
        help_text="Most informative: every candidate is in about the same number of pairs. Where judges disagree: "
        "pairs whose mean probability is closest to 1/2. Votes on such pairs are harder than on all pairs.",
    )
    runs = RunsField(
        Run.objects.none(),
        required=False,
        widget=forms.CheckboxSelectMultiple(attrs=shown_when("selection", [UNSURE])),
        help_text="Runs on the attribute whose answers choose the pairs. Annotators never see them.",
    )
    pairs_per_context = forms.IntegerField(
        required=False,
        min_value=1,
        widget=forms.NumberInput(attrs=shown_when("selection", [rule for rule in PAIR_RULES if rule != ALL])),
        help_text="Number of pairs of each context (empty: all).",
    )
    pair_limit = forms.IntegerField(
        label="Pairs in all", required=False, min_value=1, help_text="At most this many pairs (empty: no limit)."
    )
    random_share = forms.FloatField(
        label="Share of random pairs",
        required=False,
        min_value=0,
        max_value=1,
        widget=forms.NumberInput(attrs={"step": "any"}),
        help_text="Share of the pairs that are drawn at random from all pairs, from 0 to 1 (empty: 0). They are "
        "marked, so that figures can use them alone.",
    )
    contexts = forms.IntegerField(
        label="Contexts", required=False, min_value=1, help_text="Limit to the first N contexts (empty: all)."
    )
    seed = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=2**63 - 1,
        help_text="Random seed for the pairs (empty: a fresh one). The same seed gives the same pairs.",
    )
    allow_repeats = forms.BooleanField(
        label="Pairs are repeated across campaigns",
        required=False,
        help_text="Annotators also get pairs that they saw in other campaigns on the attribute. Otherwise never.",
    )
    field_order = (
        *("name", "attributes", "guidelines", "votes_per_pair", "selection", "runs", "pairs_per_context", "pair_limit"),
        *("annotators", "state", "deadline", *ANSWER_RULES, *RARE_CAMPAIGN_FIELDS),
    )

    def __init__(self, dataset: Dataset, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - Django's signature
        super().__init__(*args, **kwargs)
        self.fields["attributes"].offer(dataset.attributes.select_related("dataset"))  # type: ignore[attr-defined]

    @property
    def common_fields(self) -> list[forms.BoundField]:
        """Fields that most campaigns need."""
        return [field for field in self.visible_fields() if field.name not in (*ANSWER_RULES, *RARE_CAMPAIGN_FIELDS)]

    @property
    def answer_fields(self) -> list[forms.BoundField]:
        """The allowed answers."""
        return [self[name] for name in ANSWER_RULES]

    @property
    def rare_fields(self) -> list[forms.BoundField]:
        """Fields whose defaults fit most campaigns."""
        return [self[name] for name in RARE_CAMPAIGN_FIELDS]

    @property
    def opens_answer_fields(self) -> bool:
        """True if one of them was sent with another value than its default, or has an error."""
        return self._is_used(ANSWER_RULES)

    @property
    def opens_rare_fields(self) -> bool:
        """True if one of them was sent with another value than its default, or has an error."""
        return self._is_used(RARE_CAMPAIGN_FIELDS)

    def _is_used(self, names: Sequence[str]) -> bool:
        return any(self[name].errors or (self.is_bound and name in self.changed_data) for name in names)

    def offer_runs(self, runs: QuerySet[Run]) -> None:
        """Offer the runs of these that compare pairs."""
        comparing = runs.filter(is_scoring=False).select_related("judge", "attribute")
        self.fields["runs"].queryset = comparing.order_by("pk")  # type: ignore[attr-defined]

    def campaign_values(self) -> dict[str, Any]:
        """Return the values of a valid form as `create_campaign` takes them."""
        chosen: ChosenAttributes = self.cleaned_data["attributes"]
        return self.cleaned_data | {"attributes": chosen.attributes, "questions": chosen.questions}

    def clean_state(self) -> str:
        return self.cleaned_data["state"] or CampaignState.OPEN

    def clean_text_format(self) -> str:
        return self.cleaned_data["text_format"] or TextFormat.PLAIN

    def clean_selection(self) -> str:
        return self.cleaned_data["selection"] or D_OPTIMAL

    def clean_random_share(self) -> float:
        return self.cleaned_data["random_share"] or 0.0


class CampaignEditForm(RulesForm):
    """Changes to a campaign. Question and allowed answers are fixed once a vote is recorded."""

    def __init__(self, campaign: Campaign, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - Django's signature
        super().__init__(*args, **kwargs)
        self.initial = {name: getattr(campaign, name) for name in ("guidelines", *CHANGEABLE)} | {
            "deadline": campaign.deadline,
            "annotators": campaign.annotators.all(),
        }
        self.question_fields = self._add_questions(campaign.own_questions())
        is_fixed = has_votes(campaign)
        for name in (*CHANGEABLE, *self.question_fields):
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


def milliseconds_field() -> forms.IntegerField:
    return forms.IntegerField(required=False, min_value=0, max_value=LARGEST_MILLISECONDS)


class PairForm(forms.Form):
    """The pair that an answer is about."""

    pair = forms.UUIDField()


class VoteForm(PairForm):
    """A vote on a pair, with its two texts in the order shown."""

    first = forms.CharField(max_length=100)
    second = forms.CharField(max_length=100)
    choice = forms.CharField(max_length=100)
    strength = forms.IntegerField(required=False)
    confidence = forms.IntegerField(required=False)
    comment = forms.CharField(required=False)
    milliseconds = milliseconds_field()
    scrolled_together = forms.BooleanField(required=False)

    def record(self, assignment: Assignment) -> None:
        data = self.cleaned_data
        aids = [ReadingAid.SCROLLING] if data["scrolled_together"] else []
        record_vote(assignment, **self._answer(), milliseconds=data["milliseconds"], reading_aids=aids)

    def change(self, assignment: Assignment) -> None:
        change_vote(assignment, **self._answer())

    def _answer(self) -> dict[str, Any]:
        data = self.cleaned_data
        details = VoteDetails(data["strength"], data["confidence"], data["comment"])
        return {"choice": data["choice"], "shown": self._shown_pair(), "details": details}

    def _shown_pair(self) -> ShownPair:
        return ShownPair(self.cleaned_data["first"], self.cleaned_data["second"])


class DifferencesForm(PairForm):
    """A switch: mark the words in which the texts of the pair differ."""

    show = forms.BooleanField(required=False)

    def note(self, assignment: Assignment) -> None:
        """Record that the annotator used the marks."""
        if self.cleaned_data["show"]:
            note_reading_aid(assignment, ReadingAid.DIFFERENCES)


class SkipForm(PairForm):
    """A skipped pair, with the reason."""

    reason = forms.CharField(required=False, max_length=100)
    milliseconds = milliseconds_field()

    def skip(self, assignment: Assignment) -> None:
        data = self.cleaned_data
        skip_pair(assignment, reason=data["reason"], milliseconds=data["milliseconds"])


class VisibleTimeForm(PairForm):
    """Time for which a pair was visible, reported when its page is hidden or left."""

    milliseconds = milliseconds_field()

    def add(self, assignment: Assignment) -> None:
        add_visible_time(assignment, milliseconds=self.cleaned_data["milliseconds"] or 0)
