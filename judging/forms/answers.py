"""Forms of annotators' answers: votes, ratings, skips, and the time on a pair."""

from typing import Any

from django import forms
from django.http import QueryDict

from judging.models import Assignment, Campaign, ReadingAid
from judging.services.campaigns.answer_rules import VoteDetails
from judging.services.campaigns.ratings import change_rating, record_rating
from judging.services.campaigns.skips_and_undo import add_visible_time, skip_open_pair
from judging.services.campaigns.votes import ShownPair, change_vote, note_reading_aid, record_vote

LARGEST_MILLISECONDS = 2**31 - 1


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
        return {"choice": data["choice"], "shown": ShownPair(data["first"], data["second"]), "details": details}


class RatingForm(PairForm):
    """A rating of a single text. text: its name, as shown."""

    text = forms.CharField(max_length=100)
    rating = forms.IntegerField()
    milliseconds = milliseconds_field()

    def record(self, assignment: Assignment) -> None:
        data = self.cleaned_data
        record_rating(assignment, rating=data["rating"], shown=data["text"], milliseconds=data["milliseconds"])

    def change(self, assignment: Assignment) -> None:
        change_rating(assignment, rating=self.cleaned_data["rating"], shown=self.cleaned_data["text"])


def answer_form(campaign: Campaign, data: QueryDict) -> VoteForm | RatingForm:
    """Return the form of a campaign's answers: a vote or a rating."""
    return RatingForm(data) if campaign.is_of_ratings else VoteForm(data)


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
        skip_open_pair(assignment, reason=data["reason"], milliseconds=data["milliseconds"])


class VisibleTimeForm(PairForm):
    """Time for which a pair was visible, reported when its page is hidden or left."""

    milliseconds = milliseconds_field()

    def add(self, assignment: Assignment) -> None:
        add_visible_time(assignment, milliseconds=self.cleaned_data["milliseconds"] or 0)
