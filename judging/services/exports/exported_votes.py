"""One table of all votes of a dataset: those of people, and on request answers of judges and skipped pairs."""

from collections.abc import Iterator
from datetime import datetime
from itertools import chain
from typing import Any

from django.db.models import Count, Q, QuerySet

from evenhand.formats import RECORDED_VOTE_COLUMNS
from evenhand.formats.recorded.votes import JUDGE, PERSON, SKIPPED, TRAINING
from evenhand.options import Option
from judging.models import AnswerEvent, Assignment, Campaign, Comparison, Dataset, Run, TrainingAnswer, Vote

EVERY_VOTE_COLUMNS = RECORDED_VOTE_COLUMNS.all()
COLUMNS_OF_PEOPLE = tuple(
    name for name in EVERY_VOTE_COLUMNS if name not in ("rater_type", "p_first", "run", "prompt", "skip_reason")
)
"""The columns of votes of people alone."""
WITH_JUDGES = Option("Add the answers of judges as rows with the same columns.")
WITH_SKIPS = Option("Add the skipped pairs as rows with their reasons.")
WITH_CHECKS = Option("Add the answers to training pairs as rows, with the known ones.")
EVERY_VOTE_NUMBERS = ("strength", "confidence", "seconds", "occurrence", "p_first", "run", "changes")
ROWS_AT_ONCE = 2_000
_EMPTY = dict.fromkeys(EVERY_VOTE_COLUMNS)


def every_vote(
    dataset: Dataset,
    runs: QuerySet[Run] | None = None,
    *,
    campaign: Campaign | None = None,
    skips: bool = False,
    checks: bool = False,
) -> Iterator[dict[str, Any]]:
    """Yield one row for each vote, in the order stored; then skipped pairs, training answers and answers of judges.

    runs: whose answers are written; scores are no votes. campaign: only its votes. skips: True to add skipped pairs.
    checks: True to add the answers to training pairs; votes on gold pairs are among the votes.
    Times are in ISO 8601, UTC.
    """
    votes = _votes(dataset).filter(assignment__campaign=campaign) if campaign else _votes(dataset)
    people = map(_vote_row, votes.iterator(ROWS_AT_ONCE))
    skipped = map(_skip_row, _skips(dataset).iterator(ROWS_AT_ONCE)) if skips else ()
    trained = map(_training_row, _training_answers(dataset).iterator(ROWS_AT_ONCE)) if checks else ()
    comparing = () if runs is None else runs.filter(dataset=dataset, is_scoring=False).order_by("pk")
    return chain(people, skipped, trained, chain.from_iterable(map(_judge_rows, comparing)))


def _votes(dataset: Dataset) -> QuerySet[Vote]:
    changes = Count("assignment__events", filter=Q(assignment__events__action=AnswerEvent.Action.CHANGED))
    votes = Vote.objects.filter(attribute__dataset=dataset).annotate(changes=changes).order_by("pk")
    shown = ("assignment__campaign", "assignment__guidelines", "assignment__pair")
    related = ("context", "attribute", "first", "second", "exclusion", *shown)
    return votes.select_related(*related).defer("context__text", "context__reference", "first__text", "second__text")


def _skips(dataset: Dataset) -> QuerySet[Assignment]:
    skipped = Assignment.objects.filter(campaign__dataset=dataset, status=Assignment.Status.SKIPPED)
    skipped = skipped.exclude(pair__other=None).order_by("pk")  # texts to rate are no pairs
    related = ("campaign", "pair__attribute", "pair__one__context", "pair__other", "annotator", "guidelines")
    texts = ("pair__one__text", "pair__other__text", "pair__one__context__text", "pair__one__context__reference")
    return skipped.select_related(*related).defer(*texts)


def _vote_row(vote: Vote) -> dict[str, Any]:
    shown = vote.assignment
    campaign = shown.campaign if shown else None
    return _EMPTY | {
        "context": vote.context.key,
        "attribute": vote.attribute.name,
        "first": vote.first.key,
        "second": vote.second.key,
        "choice": vote.choice,
        "rater": vote.rater,
        "strength": vote.strength,
        "confidence": vote.confidence,
        "comment": vote.comment or None,
        "seconds": vote.seconds,
        "campaign": (campaign.name if campaign else vote.campaign_name) or None,
        "guidelines": vote.guidelines_name or None,
        "excluded": vote.excluded,
        "purpose": vote.purpose,
        "reading_aids": vote.reading_aids or None,
        "occurrence": vote.occurrence,
        "rater_type": PERSON,
        "exclude_reason": vote.why_excluded or None,
        "changes": vote.changes,  # type: ignore[attr-defined]  # annotated
        "shown_at": _written(shown.shown_at if shown else None),
        "voted_at": _written(vote.voted_at),
        "changed_at": _written(vote.changed_at),
        "first_system": vote.first.system or None,
        "second_system": vote.second.system or None,
        "gold_answer": vote.known_answer or None,
    }


def _skip_row(shown: Assignment) -> dict[str, Any]:
    return _EMPTY | {
        "context": shown.pair.one.context.key,
        "attribute": shown.pair.attribute.name,
        "first": shown.first.key,
        "second": shown.second.key,
        "choice": SKIPPED,
        "rater": shown.annotator.rater_name,
        "seconds": shown.visible_milliseconds / 1000,
        "campaign": shown.campaign.name,
        "guidelines": shown.guidelines.digest or None if shown.guidelines else None,
        "excluded": False,
        "purpose": shown.purpose,
        "reading_aids": shown.reading_aids or None,
        "rater_type": PERSON,
        "skip_reason": shown.skip_reason,
        "shown_at": _written(shown.shown_at),
        "voted_at": _written(shown.answered_at),
    }


def _training_answers(dataset: Dataset) -> QuerySet[TrainingAnswer]:
    related = ("annotator", *(f"pair__{name}" for name in ("campaign", "attribute", "one__context", "other")))
    texts = ("one__text", "other__text", "one__context__text", "one__context__reference")
    answers = TrainingAnswer.objects.filter(pair__campaign__dataset=dataset).select_related(*related).order_by("pk")
    return answers.defer(*(f"pair__{name}" for name in texts))


def _training_row(answer: TrainingAnswer) -> dict[str, Any]:
    one, other = answer.pair.one, answer.pair.other
    first, second = (other, one) if answer.swapped else (one, other)
    return _EMPTY | {
        "context": one.context.key,
        "attribute": answer.pair.attribute.name,
        "first": first.key,
        "second": second.key,
        "choice": answer.choice,
        "rater": answer.annotator.rater_name,
        "campaign": answer.pair.campaign.name,
        "excluded": False,
        "purpose": TRAINING,
        "rater_type": PERSON,
        "voted_at": _written(answer.answered_at),
        "first_system": first.system or None,
        "second_system": second.system or None,
        "gold_answer": answer.known_answer,
    }


def _judge_rows(run: Run) -> Iterator[dict[str, Any]]:
    """Yield one row for each answer of a run. The choice is the decision, or unparsed or error."""
    answers = run.comparisons.select_related("context", "first", "second").order_by("pk")
    names = {"attribute": run.attribute.name, "rater": run.judge.name, "run": run.pk, "prompt": run.prompt_name}
    texts = ("context__text", "context__reference", "first__text", "second__text", "thinking")
    for one in answers.defer(*texts).iterator(ROWS_AT_ONCE):
        yield _EMPTY | names | _answer_columns(one)


def _answer_columns(one: Comparison) -> dict[str, Any]:
    return {
        "context": one.context.key,
        "first": one.first.key,
        "second": one.second.key,
        "choice": one.decision or one.outcome,
        "comment": one.text or None,
        "excluded": False,
        "rater_type": JUDGE,
        "p_first": one.p_first,
        "voted_at": _written(one.created_at),
    }


def _written(time: datetime | None) -> str | None:
    return None if time is None else time.isoformat()
