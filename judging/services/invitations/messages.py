"""Mails the people of a campaign who have not finished."""

from __future__ import annotations

from dataclasses import dataclass
from smtplib import SMTPException
from typing import Annotated

from django.conf import settings
from django.core.cache import cache
from django.core.mail import EmailMessage, get_connection

from evenhand.options import Option
from evenhand.refusals import Refused
from judging.models import Campaign, User
from judging.models.activity import Act
from judging.models.labelling.campaign_states import CampaignState
from judging.services.activity import describe_row, note
from judging.services.invitations.campaign_people import people_in_campaign

SECONDS_BETWEEN = 20 * 3600
USUAL_MESSAGE = "Some pairs of {name} still wait for your answers:"


@dataclass(frozen=True, slots=True)
class Reminded:
    """mailed: people to whom a mail went. without_address: those whose account has none, as on platforms."""

    mailed: int
    without_address: int


def remind_people(
    campaign: Campaign,
    link: str,
    *,
    message: Annotated[
        str, Option("Your own words, above the link to the pairs. Empty: the usual sentence.", "Message", longest=2_000)
    ] = "",
) -> Reminded:
    """Mail everybody who takes part and may go on, once in 20 hours. link: address of the voting page.

    Raises Refused without a mail server or with one that takes nothing, for a campaign that is not open, where nobody
    can be mailed, and too soon after the last time.
    """
    addresses = [one.email for one in people_to_remind(campaign)]
    mails = [_mail(campaign, address, message, link) for address in addresses if address]
    if not mails:
        raise Refused(_why_nobody(campaign))
    key = f"reminded:{campaign.pk}"
    if not cache.add(key, True, SECONDS_BETWEEN):
        raise Refused("people: they were reminded less than a day ago")
    try:
        get_connection().send_messages(mails)
    except (OSError, SMTPException) as error:
        cache.delete(key)
        raise Refused(f"people: the mail server took no mail ({error})") from error
    note(Act.INVITE, f"{describe_row(campaign)}: reminder")
    return Reminded(len(mails), len(addresses) - len(mails))


def people_to_remind(campaign: Campaign) -> list[User]:
    """Return the accounts of those who take part, have not finished, and are within the limits of an open campaign.

    Nobody where the site sends no mail.
    """
    can_go_on = settings.EMAIL_HOST and campaign.state == CampaignState.OPEN
    people = people_in_campaign(campaign) if can_go_on else []
    behind = [one.annotator for one in people if one.takes_part and not (one.is_finished or one.excess)]
    return list(User.objects.filter(pk__in=behind, is_active=True))


def _why_nobody(campaign: Campaign) -> str:
    if not settings.EMAIL_HOST:
        return "people: this site sends no mail; the administrator sets EMAIL_HOST"
    if campaign.state != CampaignState.OPEN:
        return "campaign: it is not open, so nobody can go on"
    return "people: nobody who has not finished has a mail address; write to them on their platform"


def _mail(campaign: Campaign, address: str, message: str, link: str) -> EmailMessage:
    """A mail to one person: nobody sees the address of another."""
    text = message.strip() or USUAL_MESSAGE.format(name=campaign.name)
    return EmailMessage(f"Your answers: {campaign.name}", f"{text}\n\n{link}\n", to=[address])
