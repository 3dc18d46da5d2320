"""Training pairs and consent texts of campaigns, and what annotators answered. No report reads the answers."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.crypto import salted_hmac

from judging.models.datasets import Attribute, Candidate
from judging.models.labelling.campaign_pairs import PairAnswer
from judging.models.labelling.campaigns import Campaign
from judging.models.labelling.votes import Choice, choice_of_answer


class ConsentText(models.Model):
    """A version of the text that annotators accept before their first pair. An empty text asks for no consent."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="consent_texts")
    version = models.PositiveIntegerField(help_text="1 for the first text of the campaign.")
    text = models.TextField(blank=True, help_text="Markdown.")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["campaign_id", "version"]
        constraints = [models.UniqueConstraint(fields=["campaign", "version"], name="consent_version_once")]

    def __str__(self) -> str:
        return f"consent text {self.version} of campaign {self.campaign_id}"


class Consent(models.Model):
    """An annotator accepted a version of a consent text."""

    text = models.ForeignKey(ConsentText, models.CASCADE, related_name="consents")
    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="consents")
    accepted_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["text", "annotator"], name="consent_once_per_annotator")]

    def __str__(self) -> str:
        return f"{self.annotator_id} accepted text {self.text_id}"


class TrainingPair(models.Model):
    """A pair with a known answer that annotators see before their first vote; `one` stands before `other`."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="training_pairs")
    attribute = models.ForeignKey(Attribute, models.CASCADE, related_name="+")
    one = models.ForeignKey(Candidate, models.CASCADE, related_name="+")
    other = models.ForeignKey(Candidate, models.CASCADE, related_name="+")
    answer = models.CharField(max_length=10, choices=PairAnswer)
    explanation = models.TextField(blank=True, help_text="Shown after the annotator's answer.")
    position = models.PositiveIntegerField(help_text="Position in the training, from 0.")

    class Meta:
        ordering = ["campaign_id", "position"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "position"], name="training_position_once_per_campaign"),
            models.UniqueConstraint(
                fields=["campaign", "one", "other", "attribute"], name="training_pair_once_per_campaign"
            ),
            models.CheckConstraint(condition=~Q(one=F("other")), name="training_pair_of_two_candidates"),
        ]

    def __str__(self) -> str:
        return f"training pair {self.position}"

    def is_swapped_for(self, annotator: models.Model) -> bool:
        """Return True if this annotator sees `other` first. It is drawn once for each pair and person."""
        digest = salted_hmac("judging.training", f"{self.pk}:{annotator.pk}", algorithm="sha256").digest()
        return bool(digest[0] % 2)


class TrainingAnswer(models.Model):
    """An annotator's answer to a training pair."""

    pair = models.ForeignKey(TrainingPair, models.CASCADE, related_name="answers")
    annotator = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="training_answers")
    choice = models.CharField(max_length=20, choices=Choice)
    swapped = models.BooleanField(help_text="True if `other` was shown first.")
    answered_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["pair", "annotator"], name="training_answer_once_per_annotator")]

    def __str__(self) -> str:
        return f"{self.annotator_id}: {self.choice}"

    @property
    def is_right(self) -> bool:
        return self.choice == self.known_answer

    @property
    def known_answer(self) -> str:
        """The known answer of the pair, as a choice in the order shown."""
        return choice_of_answer(self.pair.answer, is_swapped=self.swapped)
