"""Consent of annotators: the current text of a campaign, its versions, and accepting it."""

from typing import Annotated

from django.db.models import BooleanField, Count, Exists, ExpressionWrapper, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from evenhand.options import Option, require_values
from evenhand.refusals import Refused
from judging.models import Campaign, Consent, ConsentText, Participation, User
from judging.models.activity_and_looks import Act
from judging.services.activity import noted

LONGEST_CONSENT_TEXT = 50_000
CHANGED = "The text has changed since you opened it. Please read it again."


def consent_versions(campaign: Campaign) -> QuerySet[ConsentText]:
    """Return the versions of a campaign's text, the latest first, with `accepted_count`."""
    return campaign.consent_texts.annotate(accepted_count=Count("consents")).order_by("-version")


def current_consent_text(campaign: Campaign) -> ConsentText | None:
    """Return the latest text; None if the campaign has none, or an empty one."""
    latest = campaign.consent_texts.order_by("-version").first()
    return latest if latest and latest.text else None


@noted(Act.CHANGE, what="consent text")
def set_consent_text(
    campaign: Campaign,
    created_by: User | None = None,
    *,
    text: Annotated[
        str,
        Option(
            "In Markdown: who you are, what is stored, how long, whom to ask. Empty: no consent is asked.",
            "Text",
            longest=LONGEST_CONSENT_TEXT,
        ),
    ] = "",
) -> ConsentText | None:
    """Store a new version of the text, which everybody is asked about again. An empty text asks for no consent.

    The same text makes no new version. Returns the current text. Raises Refused for a text that is too long.
    """
    wanted = text.replace("\r\n", "\n").strip()
    require_values(set_consent_text, text=wanted)
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    current = current_consent_text(campaign)
    if wanted == (current.text if current else ""):
        return current
    last = campaign.consent_texts.aggregate(last=Max("version"))["last"] or 0
    ConsentText.objects.create(campaign=campaign, version=last + 1, text=wanted, created_by=created_by)
    return current_consent_text(campaign)


def missing_consent(campaign: Campaign, *, annotator: User) -> ConsentText | None:
    """Return the text that the annotator must accept before the next pair; None if nothing is missing."""
    accepted = Consent.objects.filter(text=OuterRef("pk"), annotator=annotator)
    latest = campaign.consent_texts.annotate(is_accepted=Exists(accepted)).order_by("-version").first()
    return latest if latest and latest.text and not latest.is_accepted else None


def with_consent(participations: QuerySet[Participation]) -> QuerySet[Participation]:
    """Annotate `needs_consent`: True while the annotator must accept the current text."""
    accepted = Consent.objects.filter(text=OuterRef("pk"), annotator=OuterRef(OuterRef("annotator")))
    latest = ConsentText.objects.filter(campaign=OuterRef("campaign")).order_by("-version")
    is_missing = ExpressionWrapper(~Q(text="") & ~Exists(accepted), output_field=BooleanField())
    missing = Subquery(latest.annotate(is_missing=is_missing).values("is_missing")[:1])
    return participations.annotate(needs_consent=Coalesce(missing, False))


def accept_consent(campaign: Campaign, *, annotator: User, version: int) -> None:
    """Record that the annotator accepts the text. Raises Refused if the version is not the current one."""
    current = current_consent_text(campaign)
    if current is None or current.version != version:
        raise Refused(CHANGED)
    Consent.objects.get_or_create(text=current, annotator=annotator)
