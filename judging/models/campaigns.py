"""Campaigns: pairs that annotators vote on, and the assignments of pairs to annotators."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Self
from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import Exists, F, OuterRef, Q, Subquery
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Coalesce, Greatest, Least
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import salted_hmac

from judging.models.answer_rules import AnswerRules
from judging.models.campaign_states import CampaignState
from judging.models.datasets import Attribute, Candidate, Dataset
from judging.models.row_counts import count_rows

if TYPE_CHECKING:
    from collections.abc import Collection

    from judging.models.users import User


class SkipReason(models.TextChoices):
    BROKEN = "broken", "A text is missing or broken"
    LANGUAGE = "language", "I do not read this language well enough"
    SUBJECT = "subject", "I do not know enough about the subject"
    UNDECIDED = "undecided", "I cannot decide"
    OTHER = "other", "Another reason"


class Purpose(models.TextChoices):
    """Why annotators are asked about a pair.

    A rule chose the ordinary pairs; held-out pairs were drawn at random. Gold pairs have a known answer, and repeats
    show a person one of their pairs again. Both check the annotator and are left out of all figures of judges.
    """

    ORDINARY = "ordinary"
    HELD_OUT = "held-out"
    GOLD = "gold"
    REPEAT = "repeat"


CHECK_PURPOSES = (Purpose.GOLD, Purpose.REPEAT)


UNLIMITED_PAIRS = 2**31 - 1

ROUND = 2**32
"""Distance between two turns of a pair. It exceeds every position: all pairs get a vote before one gets its second."""


def _count_answers(status: str, *, annotator: User) -> Coalesce:
    """Count an annotator's votes or skips in the outer campaign, those that check them included."""
    answers = Assignment.objects.filter(campaign=OuterRef("pk"), status=status, annotator=annotator)
    return count_rows(answers, by="campaign")


def _pairs_left(annotator: User) -> CombinedExpression:
    """Count the outer campaign's pairs that this annotator can vote on: open assignments and free pairs."""
    own = Assignment.objects.filter(campaign=OuterRef("pk"), annotator=annotator).answerable()
    free = CampaignPair.objects.filter(campaign=OuterRef("pk")).free_for(annotator)
    return count_rows(own, by="campaign") + count_rows(free, by="campaign")


def _most_pairs(annotator: User) -> Coalesce:
    """Return the number of pairs that are this annotator's part of the outer campaign; without a limit, a large one."""
    part = Participation.objects.filter(campaign=OuterRef("pk"), annotator=annotator).values("most_pairs")
    return Coalesce(Subquery(part), UNLIMITED_PAIRS)


class CampaignQuerySet(models.QuerySet["Campaign"]):
    def visible_to(self, user: User) -> Self:
        """For researchers, the campaigns on datasets they may see; for an annotator those they take part in."""
        return self._on_visible_datasets(user) if user.is_researcher else self.open_to(user)

    def editable_by(self, user: User) -> Self:
        """All campaigns for admins; for a researcher those they created, on datasets they may see."""
        return self if user.is_admin else self._on_visible_datasets(user).filter(created_by=user)

    def _on_visible_datasets(self, user: User) -> Self:
        return self.filter(dataset__in=Dataset.objects.visible_to(user))

    def open_to(self, user: User) -> Self:
        return self.filter(annotators=user) if user.is_annotator else self.none()

    def with_progress(self) -> Self:
        """Annotate `pair_count`, `votes_done` and `votes_planned`."""
        pairs = CampaignPair.objects.asked().filter(campaign=OuterRef("pk"))
        votes = Assignment.objects.exclude(purpose__in=CHECK_PURPOSES).filter(campaign=OuterRef("pk"), status="voted")
        return self.annotate(
            pair_count=count_rows(pairs, by="campaign"), votes_done=count_rows(votes, by="campaign")
        ).annotate(votes_planned=F("pair_count") * F("votes_per_pair"))

    def with_own_progress(self, user: User) -> Self:
        """Annotate `own_votes`, `own_skips`, `own_left` (pairs to vote on) and `own_total` (votes + left).

        Their questions need no further query.
        """
        progress = self.annotate(
            own_votes=_count_answers("voted", annotator=user),
            own_skips=_count_answers("skipped", annotator=user),
            open_to_user=_pairs_left(user),
            own_part=_most_pairs(user),
        )
        left = Least("open_to_user", Greatest(F("own_part") - F("own_votes"), 0))
        counted = progress.annotate(own_left=left).annotate(own_total=F("own_votes") + F("own_left"))
        return counted.select_related("attribute", "dataset")


class TextFormat(models.TextChoices):
    """How annotators see contexts and candidates."""

    PLAIN = "plain", "Plain text, as written"
    MARKDOWN = "markdown", "Markdown, with headings, lists, tables and code"


class Campaign(AnswerRules):
    """Pairs of one dataset and attribute that annotators vote on."""

    name = models.CharField(max_length=200, unique=True)
    dataset = models.ForeignKey(Dataset, models.CASCADE, related_name="campaigns")
    attribute = models.ForeignKey(Attribute, models.CASCADE, related_name="campaigns")
    question = models.CharField(
        max_length=300, blank=True, help_text="Asked above each pair; empty for the question in the words of prompts."
    )
    guidelines = models.TextField(blank=True, help_text="Markdown. Fixed once the first vote is in.")
    text_format = models.CharField(
        max_length=10,
        choices=TextFormat,
        default=TextFormat.PLAIN,
        help_text="How contexts and candidates are shown. Fixed from the start.",
    )
    votes_per_pair = models.PositiveIntegerField(default=3)
    allow_repeats = models.BooleanField(
        default=False, help_text="True to show annotators pairs that they saw in other campaigns on the attribute."
    )
    seed = models.BigIntegerField(help_text="Seed for drawing the pairs.")
    pair_choice = models.JSONField(
        default=dict, help_text="How the pairs were chosen: rule, numbers, share of random pairs, runs."
    )
    repeat_share = models.FloatField(default=0.0, help_text="Repeats for each ordinary vote of a person, from 0 to 1.")
    gold_share = models.FloatField(default=0.0, help_text="Gold pairs for each ordinary vote of a person, from 0 to 1.")
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
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = CampaignQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(condition=Q(votes_per_pair__gte=1), name="campaign_asks_for_a_vote"),
            models.CheckConstraint(
                condition=Q(repeat_share__gte=0, repeat_share__lte=1, gold_share__gte=0, gold_share__lte=1),
                name="campaign_checks_are_shares",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("campaign", args=[self.pk])

    @property
    def state(self) -> CampaignState:
        """The state now: the chosen one, or closed after the deadline. A draft stays a draft."""
        chosen = CampaignState(self.chosen_state)
        return CampaignState.CLOSED if self.is_over and chosen != CampaignState.DRAFT else chosen

    @property
    def is_over(self) -> bool:
        """True from the deadline on."""
        return self.deadline is not None and self.deadline <= timezone.now()

    @property
    def noun(self) -> str:
        """The dataset's word for a candidate: "summary", for example."""
        return self.dataset.candidate_noun or "text"

    @property
    def asked_question(self) -> str:
        """The campaign's own question, or "Which summary is more coherent?"."""
        return self.question or f"Which {self.noun} is {self.attribute.asked_as}?"

    def free_pairs(self, annotator: User) -> CampaignPairQuerySet:
        """Return the pairs that this annotator can get, in the order of their turns."""
        return self.pairs.free_for(annotator, campaigns=self._shown_before(annotator))

    def _shown_before(self, annotator: User) -> list[int]:
        """Return the other campaigns on the attribute that showed this annotator pairs; none if repeats are allowed."""
        if self.allow_repeats:
            return []
        others = Campaign.objects.filter(attribute=self.attribute_id).exclude(pk=self.pk)
        shown = Assignment.objects.filter(campaign=OuterRef("pk"), annotator=annotator)
        return list(others.filter(Exists(shown)).order_by().values_list("pk", flat=True))


def guidelines_version(guidelines: str) -> str:
    """Return the first digits of the SHA-256 of guidelines, which names them in exports; "" without guidelines."""
    return hashlib.sha256(guidelines.encode()).hexdigest()[:12] if guidelines else ""


class PairAnswer(models.TextChoices):
    """The known answer to a pair: one of its candidates, or neither."""

    ONE = "one"
    OTHER = "other"
    TIE = "tie"


class Participation(models.Model):
    """An annotator who takes part in a campaign."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="participations")
    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="participations")
    guidelines_read_at = models.DateTimeField(
        null=True, blank=True, help_text="When the annotator read the guidelines; empty before. Voting needs it."
    )
    most_pairs = models.PositiveIntegerField(
        null=True, blank=True, help_text="Number of pairs that are this annotator's part; empty for all."
    )
    turn = models.BigIntegerField(
        default=0, help_text="Turn of the pair that was last reserved. The search for the next pair continues here."
    )
    pairs_total = models.PositiveIntegerField(
        null=True, blank=True, help_text="Own votes and pairs left to vote on, counted about once a minute."
    )
    counted_at = models.DateTimeField(null=True, blank=True, help_text="When `pairs_total` was counted.")

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "annotator"], name="participation_once_per_annotator")
        ]
        indexes = [models.Index(fields=["campaign", "turn"], name="participation_turn")]

    def __str__(self) -> str:
        return f"{self.annotator_id} in campaign {self.campaign_id}"

    def is_complete(self, votes: int) -> bool:
        """Return True if this number of votes is the annotator's whole part."""
        return self.most_pairs is not None and votes >= self.most_pairs


class CampaignPairQuerySet(models.QuerySet["CampaignPair"]):
    def asked(self) -> Self:
        """Pairs whose votes the campaign collects: all but gold pairs."""
        return self.exclude(purpose=Purpose.GOLD)

    def free_for(self, annotator: User, *, campaigns: Collection[int] | None = None) -> Self:
        """Pairs that need votes and are new to this annotator, in the order of their turns.

        Pairs that another campaign on the attribute showed are not new, unless the pair's campaign allows repeats.
        campaigns: the keys of these other campaigns, for a faster query; None for all.
        """
        seen = Assignment.objects.filter(annotator=annotator)
        free = self.filter(~Exists(seen.filter(pair=OuterRef("pk"))), places__gt=0).order_by("turn", "position")
        elsewhere = seen.filter(pair__one=OuterRef("one"), pair__other=OuterRef("other"))
        if campaigns is None:
            elsewhere = elsewhere.filter(campaign__attribute=OuterRef("campaign__attribute"))
            return free.filter(Q(campaign__allow_repeats=True) | ~Exists(elsewhere))
        return free.filter(~Exists(elsewhere.filter(campaign__in=campaigns))) if campaigns else free


class CampaignPair(models.Model):
    """An unordered pair of a campaign; `one` stands before `other` in the dataset.

    `places` and `turn` change together, when a place is taken or released. See services/campaigns/places.py.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="pairs")
    one = models.ForeignKey(Candidate, models.CASCADE, related_name="+")
    other = models.ForeignKey(Candidate, models.CASCADE, related_name="+")
    position = models.PositiveIntegerField(help_text="Position in the order in which pairs are shown, from 0.")
    places = models.PositiveIntegerField(help_text="Votes that the pair needs and that are not reserved.")
    turn = models.BigIntegerField(help_text="Pairs with smaller turns are shown first.")
    purpose = models.CharField(max_length=10, choices=Purpose, default=Purpose.ORDINARY)
    gold_answer = models.CharField(
        max_length=10, choices=PairAnswer, blank=True, help_text="The known answer of a gold pair; empty for others."
    )

    objects = CampaignPairQuerySet.as_manager()

    class Meta:
        ordering = ["campaign_id", "position"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "one", "other"], name="pair_once_per_campaign"),
            models.UniqueConstraint(fields=["campaign", "position"], name="pair_position_once_per_campaign"),
            models.CheckConstraint(condition=~Q(one=F("other")), name="pair_of_two_candidates"),
            models.CheckConstraint(
                condition=Q(purpose="gold", gold_answer__gt="", places=0) | (~Q(purpose="gold") & Q(gold_answer="")),
                name="gold_pair_has_an_answer_and_no_places",
            ),
        ]
        indexes = [
            models.Index(fields=["campaign", "turn", "position"], condition=Q(places__gt=0), name="free_pairs_by_turn")
        ]

    def __str__(self) -> str:
        return f"pair {self.position}"


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    def of(self, annotator: User, *, campaign: Campaign) -> Self:
        return self.filter(annotator=annotator, campaign=campaign)

    def answerable(self) -> Self:
        """Open assignments that are still reserved, or whose pair still needs votes; oldest first."""
        open_ones = self.filter(status=Assignment.Status.OPEN)
        return open_ones.filter(Q(has_place=True) | Q(pair__places__gt=0)).order_by("pk")

    def expired(self) -> Self:
        """Open assignments whose reservation has ended, and whose place is still taken. Checks take no place."""
        ended = self.filter(status=Assignment.Status.OPEN, has_place=True, held_until__lt=timezone.now())
        return ended.exclude(purpose__in=CHECK_PURPOSES)

    def answered(self) -> Self:
        """Assignments that were voted on or skipped, latest first."""
        return self.exclude(status=Assignment.Status.OPEN).order_by("-answered_at", "-pk")

    def with_texts(self) -> Self:
        return self.select_related("pair__campaign__attribute", "pair__one__context__dataset", "pair__other", "vote")


class Assignment(models.Model):
    """A pair shown to an annotator, in a random order.

    An open assignment reserves one place of the pair until `held_until`. A vote takes a place; a skip takes none.
    """

    class Status(models.TextChoices):
        OPEN = "open"
        VOTED = "voted"
        SKIPPED = "skipped"

    key = models.UUIDField(default=uuid4, unique=True, editable=False, help_text="Identifier in URLs and forms.")
    campaign = models.ForeignKey(
        Campaign, models.CASCADE, related_name="assignments", help_text="The pair's campaign, for the indexes."
    )
    pair = models.ForeignKey(CampaignPair, models.CASCADE, related_name="assignments")
    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="assignments")
    swapped = models.BooleanField(help_text="True if `other` is shown first.")
    purpose = models.CharField(max_length=10, choices=Purpose, default=Purpose.ORDINARY)
    status = models.CharField(max_length=10, choices=Status, default=Status.OPEN)
    has_place = models.BooleanField(
        default=True,
        help_text="True while it takes one of the pair's places: voted, or open and reserved. A gold pair or a repeat "
        "has this too, but takes no place of the pair.",
    )
    held_until = models.DateTimeField(
        help_text="End of the reservation: afterwards another annotator may get the pair."
    )
    skip_reason = models.CharField(max_length=20, choices=SkipReason, blank=True)
    visible_milliseconds = models.PositiveBigIntegerField(
        default=0, help_text="Time for which the pair was visible, over all times it was shown; 0 if unknown."
    )
    reading_aids = models.CharField(
        max_length=40, blank=True, help_text="Aids that the annotator used on the pair, separated by spaces."
    )
    shown_at = models.DateTimeField(auto_now_add=True, help_text="When the pair was first shown.")
    answered_at = models.DateTimeField(null=True, blank=True, help_text="When the annotator voted or skipped.")

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["pair", "annotator", "purpose"], name="pair_once_per_annotator"),
            models.CheckConstraint(
                condition=Q(status="open") | Q(answered_at__isnull=False), name="assignment_answered_at_some_time"
            ),
            models.CheckConstraint(
                condition=Q(status="skipped", skip_reason__gt="") | (~Q(status="skipped") & Q(skip_reason="")),
                name="assignment_skipped_for_a_reason",
            ),
            models.CheckConstraint(
                condition=Q(status="open") | Q(status="voted", has_place=True) | Q(status="skipped", has_place=False),
                name="assignment_has_a_place_if_voted",
            ),
        ]
        indexes = [
            models.Index(fields=["campaign", "annotator", "status"], name="assignments_of_annotator"),
            models.Index(fields=["annotator", "-answered_at"], name="answers_by_time"),
            models.Index(fields=["held_until"], condition=Q(status="open", has_place=True), name="reservations_by_end"),
        ]

    def __str__(self) -> str:
        return f"{self.pair_id} for {self.annotator_id}: {self.status}"

    @property
    def is_check(self) -> bool:
        """True if it checks the annotator: a gold pair or a repeat. It takes no place of its pair."""
        return self.purpose in CHECK_PURPOSES

    @property
    def first(self) -> Candidate:
        """The candidate shown first."""
        return self.pair.other if self.swapped else self.pair.one

    @property
    def second(self) -> Candidate:
        return self.pair.one if self.swapped else self.pair.other

    @property
    def first_name(self) -> str:
        """An opaque name for the text shown first, different in every assignment."""
        return self._name_of(self.first)

    @property
    def second_name(self) -> str:
        return self._name_of(self.second)

    def _name_of(self, candidate: Candidate) -> str:
        return salted_hmac("judging.assignment", f"{self.key}:{candidate.pk}", algorithm="sha256").hexdigest()[:16]
