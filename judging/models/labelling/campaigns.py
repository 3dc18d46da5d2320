"""Campaigns: pairs of one dataset that annotators vote on, or texts that they rate, on one attribute or more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from django.conf import settings
from django.db import models
from django.db.models import Case, Exists, F, OuterRef, Q, Subquery, When
from django.db.models.functions import Coalesce, Greatest
from django.urls import reverse
from django.utils import timezone

from judging.models.datasets import Attribute, Dataset
from judging.models.labelling.answer_rules import LIMITS_ARE_SHARES, AnswerLimits, AnswerRules
from judging.models.labelling.assignments import Assignment
from judging.models.labelling.campaign_pairs import CampaignPair
from judging.models.labelling.campaign_states import CampaignKind, CampaignState, TextFormat
from judging.models.labelling.own_progress import UNLIMITED_PAIRS, OwnProgress, annotate_counts, counts_for, counts_of
from judging.models.labelling.participations import Participation
from judging.models.labelling.vote_exclusions import VoteExclusion
from judging.models.name_constraints import one_name_per_owner
from judging.models.row_counts import count_rows

if TYPE_CHECKING:
    from judging.models.labelling.campaign_attributes import CampaignAttribute
    from judging.models.labelling.campaign_pairs import CampaignPairQuerySet
    from judging.models.labelling.own_progress import OwnCounts
    from judging.models.users import User


def _planned_pairs() -> Greatest:
    """Return the larger one of `pair_count` and `pairs_planned`."""
    return Greatest("pair_count", Coalesce("pairs_planned", 0), output_field=models.IntegerField())


def _own_part(annotator: User) -> dict[str, Any]:
    """Return `own_part`: the number of pairs that are this annotator's part of the outer campaign, else a large one.

    It is 0 for somebody who is excluded and gets no further pair. Also `own_told` and `own_gone`.
    """
    part = Participation.objects.filter(campaign=OuterRef("pk"), annotator=annotator)
    here = Q(campaign=None) | Q(campaign=OuterRef("pk"))
    excluded = VoteExclusion.objects.without_further_pairs().filter(
        here, dataset=OuterRef("dataset"), rater=annotator.rater_name
    )
    own = Coalesce(Subquery(part.values("most_pairs")), UNLIMITED_PAIRS)
    told = {f"own_{name}": Coalesce(Subquery(part.values(f"pairs_{name}")), 0) for name in ("told", "gone")}
    return told | {"own_part": Case(When(Exists(excluded), then=0), default=own, output_field=models.IntegerField())}


class CampaignQuerySet(models.QuerySet["Campaign"]):
    def visible_to(self, user: User) -> Self:
        """For researchers, the campaigns on datasets they may see; for an annotator those they take part in."""
        return self._on_visible_datasets(user) if user.is_researcher else self.open_to(user)

    def editable_by(self, user: User) -> Self:
        """All campaigns for admins; for a researcher those they created, on datasets they may see."""
        return self if user.is_admin else self._on_visible_datasets(user).filter(created_by=user)

    def with_votes_changeable_by(self, user: User) -> Self:
        """Campaigns whose votes a person may exclude: those they created, and all on datasets they may change."""
        changeable = Q(dataset__in=Dataset.objects.changeable_by(user))
        return self._on_visible_datasets(user).filter(changeable | Q(created_by=user))

    def _on_visible_datasets(self, user: User) -> Self:
        return self.filter(dataset__in=Dataset.objects.visible_to(user))

    def open_to(self, user: User) -> Self:
        return self.filter(annotators=user) if user.is_annotator else self.none()

    def archived(self, *, is_archived: bool = True) -> Self:
        """Archived campaigns, or all others, which lists show."""
        archived = Q(chosen_state=CampaignState.ARCHIVED)
        return self.filter(archived if is_archived else ~archived)

    def with_progress(self) -> Self:
        """Annotate `pair_count`, `votes_done` and `votes_planned`."""
        pairs = CampaignPair.objects.asked().filter(campaign=OuterRef("pk"))
        votes = Assignment.objects.counting().filter(campaign=OuterRef("pk"))
        return self.annotate(
            pair_count=count_rows(pairs, by="campaign"), votes_done=count_rows(votes, by="campaign")
        ).annotate(votes_planned=_planned_pairs() * F("votes_per_pair"))

    def with_own_progress(self, user: User) -> Self:
        """Read what `own_progress` needs of this person. Their questions need no further query."""
        counted = annotate_counts(self, user).annotate(**_own_part(user))
        return counted.select_related("dataset").prefetch_related("asked_attributes")


class Campaign(AnswerRules, AnswerLimits):
    """Pairs of one dataset that annotators vote on, or texts that they rate, on one attribute or more.

    In a campaign of ratings, each of the `pairs` is a single text, and `votes_per_pair` is the ratings of each text.
    """

    OWNER = "created_by"
    kind = models.CharField(
        max_length=10, choices=CampaignKind, default=CampaignKind.PAIRS, help_text="Fixed from the start."
    )
    name = models.CharField(max_length=200)
    dataset = models.ForeignKey(Dataset, models.CASCADE, related_name="campaigns")
    attributes = models.ManyToManyField(Attribute, through="judging.CampaignAttribute", related_name="campaigns")
    guidelines = models.TextField(blank=True, help_text="Markdown. The text of the latest version.")
    text_format = models.CharField(
        max_length=10,
        choices=TextFormat,
        default=TextFormat.PLAIN,
        help_text="How contexts and candidates are shown. Fixed from the start.",
    )
    votes_per_pair = models.PositiveIntegerField(default=3)
    growth = models.JSONField(default=list, help_text="Times, votes so far and sizes of each growth.")
    allow_repeats = models.BooleanField(
        default=False, help_text="True to show annotators pairs that they saw in other campaigns on the attribute."
    )
    seed = models.BigIntegerField(help_text="Seed for drawing the pairs.")
    pair_choice = models.JSONField(
        default=dict, help_text="How the pairs were chosen: rule, numbers, share of random pairs, runs."
    )
    pairs_planned = models.PositiveIntegerField(
        null=True, blank=True, help_text="Pairs in all, if they are chosen during voting; else empty."
    )
    repeat_share = models.FloatField(default=0.0, help_text="Repeats for each ordinary vote of a person, from 0 to 1.")
    gold_share = models.FloatField(default=0.0, help_text="Gold pairs for each ordinary vote of a person, from 0 to 1.")
    training_pass_mark = models.FloatField(
        default=0.0, help_text="Share of right training answers that voting needs, from 0 to 1; 0: none."
    )
    gold_pass_mark = models.FloatField(
        default=0.0, help_text="Share of right answers to gold pairs that further pairs need, from 0 to 1; 0: none."
    )
    annotators = models.ManyToManyField(
        settings.AUTH_USER_MODEL, through="judging.Participation", blank=True, related_name="campaigns"
    )
    chosen_state = models.CharField(
        max_length=10,
        choices=CampaignState,
        default=CampaignState.OPEN,
        help_text="Chosen by researchers. `state` reads the deadline too.",
    )
    deadline = models.DateTimeField(null=True, blank=True, help_text="The campaign is closed from then on.")
    wanted_width = models.FloatField(
        null=True,
        blank=True,
        help_text="The votes are enough once the 95 % interval of the agreement, a share, is at most this wide.",
    )
    first_round = models.ForeignKey(
        "self",
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="later_rounds",
        help_text="The campaign whose disputed pairs this one asks again; empty for others.",
    )
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = CampaignQuerySet.as_manager()

    class Meta:
        ordering = ["name", "pk"]
        constraints = [
            models.CheckConstraint(condition=Q(votes_per_pair__gte=1), name="campaign_asks_for_a_vote"),
            models.CheckConstraint(
                condition=Q(repeat_share__gte=0, repeat_share__lte=1, gold_share__gte=0, gold_share__lte=1)
                & Q(training_pass_mark__gte=0, training_pass_mark__lte=1, gold_pass_mark__gte=0, gold_pass_mark__lte=1),
                name="campaign_checks_are_shares",
            ),
            models.CheckConstraint(
                condition=Q(wanted_width__isnull=True) | Q(wanted_width__gt=0, wanted_width__lt=1),
                name="campaign_wanted_width_of_a_share",
            ),
            LIMITS_ARE_SHARES,
            *one_name_per_owner("campaign", "created_by"),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("campaign", args=[self.pk])

    @property
    def state(self) -> CampaignState:
        """The state now: the chosen one, or closed after the deadline. Drafts and archived ones stay so."""
        chosen = CampaignState(self.chosen_state)
        stays = chosen in (CampaignState.DRAFT, CampaignState.ARCHIVED)
        return CampaignState.CLOSED if self.is_over and not stays else chosen

    @property
    def is_closed(self) -> bool:
        """True if nobody votes or joins: the campaign is closed, or archived too."""
        return self.state in (CampaignState.CLOSED, CampaignState.ARCHIVED)

    @property
    def is_over(self) -> bool:
        """True from the deadline on."""
        return self.deadline is not None and self.deadline <= timezone.now()

    @property
    def is_of_ratings(self) -> bool:
        return self.kind == CampaignKind.RATINGS

    @property
    def has_checks(self) -> bool:
        """True if gold pairs or repeats come among the pairs."""
        return bool(self.gold_share or self.repeat_share)

    @property
    def shown_noun(self) -> str:
        """The word for what annotators are shown: "pair" or "text"."""
        return "text" if self.is_of_ratings else "pair"

    @property
    def counted_noun(self) -> str:
        """The word for what takes answers: with several attributes, each pair or text is several questions."""
        return "question" if self.has_several_attributes else self.shown_noun

    @property
    def answer_noun(self) -> str:
        """The word for an answer: "vote" or "rating"."""
        return "rating" if self.is_of_ratings else "vote"

    @property
    def noun(self) -> str:
        """The dataset's word for a candidate: "summary", for example."""
        return self.dataset.candidate_noun or "text"

    @property
    def has_several_attributes(self) -> bool:
        return len(self.asked_attributes.all()) > 1

    @property
    def attribute_names(self) -> str:
        """The names of the attributes, in the order asked: "coherence, fluency"."""
        return ", ".join(attribute.name for attribute in self.attributes_in_order())

    @property
    def only_attribute(self) -> str | None:
        """The name of the only attribute; None if there are several."""
        names = list(self.own_questions())
        return names[0] if len(names) == 1 else None

    @property
    def asked_question(self) -> str:
        """The questions of all attributes, in the order asked."""
        return " ".join(one.asked_question for one in self.asked_attributes.all())

    def attributes_in_order(self) -> list[Attribute]:
        """Return the attributes in the order asked."""
        return [one.attribute for one in self.asked_attributes.all()]

    def own_questions(self) -> dict[str, str]:
        """Return name of an attribute -> its own question, which is empty for the question in the words of prompts."""
        return {one.attribute.name: one.question for one in self.asked_attributes.all()}

    @property
    def own_progress(self) -> OwnProgress:
        """The progress of the person of `with_own_progress`."""
        return self.progress_of(counts_of(self))

    def progress_for(self, annotator: User) -> OwnProgress:
        """Return the progress of a person, as counted now."""
        with_part = Campaign.objects.annotate(**_own_part(annotator))
        return self.progress_of(counts_for(with_part, self, annotator))

    def progress_of(self, counts: OwnCounts) -> OwnProgress:
        """Return the progress of a person with these numbers of pairs."""
        return OwnProgress(counts, self.gold_share, self.repeat_share, len(self.asked_attributes.all()))

    def asked_about(self, attribute_id: int) -> CampaignAttribute:
        """Return the attribute of a pair, with its question."""
        return next(one for one in self.asked_attributes.all() if one.attribute_id == attribute_id)

    def pairs_to_choose(self) -> int:
        """Return the number of pairs that are still to be chosen during voting."""
        return max(0, self.pairs_planned - self.pairs.asked().count()) if self.pairs_planned else 0

    def free_pairs(self, annotator: User) -> CampaignPairQuerySet:
        """Return the pairs that this annotator can get, in the order of their turns."""
        return self.pairs.free_for(annotator, campaigns=self._shown_before(annotator))

    def next_pairs(self, annotator: User) -> CampaignPairQuerySet:
        """Return the free pairs without those whose two texts this annotator gets on an earlier attribute first."""
        free = self.free_pairs(annotator)
        if not self.has_several_attributes:
            return free
        other = {} if self.is_of_ratings else {"other": OuterRef("other")}
        same_texts = free.filter(one=OuterRef("one"), **other).order_by()
        # an expression, so that the database looks the texts up and does not read all earlier positions
        earlier = same_texts.alias(place=F("position") + 0).filter(place__lt=OuterRef("position"))
        return free.filter(~Exists(earlier))

    def _shown_before(self, annotator: User) -> list[int]:
        """Return the other campaigns on an attribute of this one that showed this annotator pairs.

        Returns none if repeats are allowed.
        """
        if self.allow_repeats:
            return []
        others = Campaign.objects.filter(attributes__in=self.attributes_in_order()).exclude(pk=self.pk)
        shown = Assignment.objects.filter(campaign=OuterRef("pk"), annotator=annotator)
        return list(others.filter(Exists(shown)).order_by().values_list("pk", flat=True).distinct())
