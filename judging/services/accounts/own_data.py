"""Everything that is stored about a person, for that person."""

from typing import Any

from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from axes.models import AccessFailureLog, AccessLog
from django.db.models import Model, QuerySet

from judging.models import ApiToken, Assignment, Consent, Enrolment, Participation, TrainingAnswer, User

ACCOUNT_FIELDS = (
    *("username", "rater_name", "email", "first_name", "last_name", "single_keys", "vote_keys"),
    *("date_joined", "last_login", "last_seen"),
)


def own_data(account: User) -> dict[str, Any]:
    """Return the account, its campaigns, consents, answers and sign-ins, for JSON.

    Answers have the texts in the order shown. Systems, datasets and votes of others are in no part of it.
    """
    return {
        "account": {name: getattr(account, name) for name in ACCOUNT_FIELDS} | {"roles": sorted(account.roles)},
        "campaigns": _rows(
            Participation.objects.filter(annotator=account).order_by("pk"),
            campaign="campaign__name",
            guidelines="guidelines__text",
            guidelines_version="guidelines__version",
            read="guidelines_read_at",
        ),
        "invitations": _rows(
            Enrolment.objects.filter(annotator=account).order_by("pk"),
            campaign="campaign__name",
            joined_at="enrolled_at",
            completed_at="completed_at",
            invited_as="invitation__person",
            PROLIFIC_PID="platform_person",
            STUDY_ID="platform_study",
            SESSION_ID="platform_session",
        ),
        "consents": _rows(
            Consent.objects.filter(annotator=account).order_by("pk"),
            campaign="text__campaign__name",
            version="text__version",
            text="text__text",
            accepted_at="accepted_at",
        ),
        "training": _rows(
            TrainingAnswer.objects.filter(annotator=account).order_by("pk"),
            campaign="pair__campaign__name",
            choice="choice",
            answered_at="answered_at",
        ),
        "answers": [_answer(one) for one in _answers(account)],
        "tokens": _rows(
            ApiToken.objects.filter(user=account).order_by("created"),
            name="name",
            scopes="scopes",
            created="created",
            expires="expiry",
            last_used="last_used",
        ),
        "second_factors": _rows(
            Authenticator.objects.filter(user=account).order_by("pk"),
            kind="type",
            created="created_at",
            last_used="last_used_at",
        ),
        "openid": _rows(
            SocialAccount.objects.filter(user=account).order_by("pk"),
            provider="provider",
            identifier="uid",
            told="extra_data",
            last_login="last_login",
        ),
        "sessions": _rows(
            UserSession.objects.filter(user=account).order_by("pk"),
            begun="created_at",
            last_seen="last_seen_at",
            address="ip",
            browser="user_agent",
        ),
        "sign_ins": _sign_ins(AccessLog.objects.filter(username=account.username)),
        "failed_sign_ins": _sign_ins(AccessFailureLog.objects.filter(username=account.username)),
    }


def _answers(account: User) -> QuerySet[Assignment]:
    return Assignment.objects.filter(annotator=account).with_texts().prefetch_related("events").order_by("pk")


def _answer(assignment: Assignment) -> dict[str, Any]:
    vote, rating = getattr(assignment, "vote", None), getattr(assignment, "rating", None)
    return {
        "campaign": assignment.pair.campaign.name,
        "attribute": assignment.pair.attribute.name,
        "context": assignment.pair.one.context.text,
        "first": assignment.first.text,
        "second": assignment.second.text if assignment.pair.other else None,
        "status": assignment.status,
        "choice": vote.choice if vote else None,
        "rating": rating.value if rating else None,
        "skip_reason": assignment.skip_reason,
        "seconds": vote.seconds if vote else None,
        "reading_aids": assignment.reading_aids,
        "shown_at": assignment.shown_at,
        "answered_at": assignment.answered_at,
        "changed_at": vote.changed_at if vote else None,
        "history": [
            {
                "action": one.action,
                "choice": one.choice,
                "rating": one.rating,
                "skip_reason": one.skip_reason,
                "time": one.happened_at,
            }
            for one in assignment.events.all()
        ],
    }


def _sign_ins(log: QuerySet[Any]) -> list[dict[str, Any]]:
    return _rows(log.order_by("pk"), time="attempt_time", address="ip_address", browser="user_agent")


def _rows(rows: QuerySet[Model], **columns: str) -> list[dict[str, Any]]:
    """Return rows as dicts. columns: name in the result -> field."""
    return [dict(zip(columns, values, strict=True)) for values in rows.values_list(*columns.values())]
