"""Mails to the people of a campaign."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from smtplib import SMTPException, SMTPRecipientsRefused
from typing import Annotated

from django.conf import settings
from django.core.cache import cache
from django.core.mail import EmailMessage, get_connection

from evenhand.options import Option
from evenhand.refusals import Refused
from judging.models import Campaign, User
from judging.models.activity_and_looks import Act
from judging.models.labelling.campaign_states import CampaignState
from judging.services.activity import describe_row, note
from judging.services.invitations.campaign_people import CampaignPerson, people_in_campaign

SECONDS_BETWEEN = 20 * 3600
UNFINISHED, FINISHED, EVERYBODY = "unfinished", "finished", "everybody"
RECIPIENTS = {
    UNFINISHED: "people who have not finished",
    FINISHED: "people who have finished",
    EVERYBODY: "everybody who takes part",
}
TO = Option("Who gets it.", "To", choices=RECIPIENTS)
MESSAGE = Option(
    "Your own words, above the link to the campaign. Empty: the usual sentence, that answers still lack.",
    "Message",
    longest=2_000,
)
USUAL_MESSAGE = "{name} still waits for some of your answers:"


@dataclass(frozen=True, slots=True)
class Mailed:
    """mailed: people to whom a mail went. without_address: those whose account has none, as on platforms.

    mailed_before: those who got none, because they got one of the campaign within the last 20 hours. refused: those
    whose mail the mail server did not take; they may be mailed again.
    """

    mailed: int
    without_address: int
    mailed_before: int
    refused: int


def message_people(
    campaign: Campaign, link: str, *, to: Annotated[str, TO] = UNFINISHED, message: Annotated[str, MESSAGE] = ""
) -> Mailed:
    """Mail people who take part in a campaign, each at most once in 20 hours. link: address of the voting page.

    Raises Refused without a mail server or with one that takes nothing, without own words for people who have
    finished, and where nobody can be mailed.
    """
    if to != UNFINISHED and not message.strip():
        raise Refused("message: missing — the usual sentence is only for people who have not finished")
    people = people_to_mail(campaign, people_in_campaign(campaign))[to]
    keys = {f"mailed:{campaign.pk}:{one.pk}": one.email for one in people if one.email}
    mails = {key: _mail(campaign, address, message, link) for key, address in keys.items()}
    new = [key for key in mails if cache.add(key, True, SECONDS_BETWEEN) is not False]  # None: the cache is away
    if not new:
        raise Refused(_why_nobody(campaign, to, has_addresses=bool(keys)))
    sent = set[str]()
    try:
        note(Act.INVITE, f"{describe_row(campaign)}: mail to {RECIPIENTS[to]}")
        why = _send({key: mails[key] for key in new}, sent)
    finally:
        cache.delete_many(set(new) - sent)
    if not sent:
        note(Act.INVITE, f"{describe_row(campaign)}: the mail server took no mail")
        raise Refused(f"people: the mail server took no mail ({why})")
    return Mailed(len(sent), len(people) - len(keys), len(keys) - len(new), len(new) - len(sent))


def _send(mails: Mapping[str, EmailMessage], sent: set[str]) -> str:
    """Send mails, and add the keys of those that the server took. Returns why it took others not, or ""."""
    why = ""
    try:
        with get_connection() as connection:
            for key, mail in mails.items():
                try:
                    connection.send_messages([mail])
                    sent.add(key)
                except SMTPRecipientsRefused as error:
                    why = str(error)
    except (OSError, SMTPException) as error:
        why = str(error)
    return why


def people_to_mail(campaign: Campaign, people: Sequence[CampaignPerson]) -> dict[str, list[User]]:
    """Return the active accounts of those who take part, by RECIPIENTS. people: of the campaign.

    Only those who may go on have not finished, in an open campaign. Who is over its limits is in neither group. Nobody
    where the site sends no mail.
    """
    part = [one for one in people if one.takes_part and settings.EMAIL_HOST]
    is_open = campaign.state == CampaignState.OPEN
    chosen = {
        UNFINISHED: [one for one in part if is_open and not (one.is_finished or one.excess)],
        FINISHED: [one for one in part if one.is_finished and not one.excess],
        EVERYBODY: part,
    }
    active = {one.pk: one for one in User.objects.filter(pk__in=[one.annotator for one in part], is_active=True)}
    return {to: [active[one.annotator] for one in them if one.annotator in active] for to, them in chosen.items()}


def _why_nobody(campaign: Campaign, to: str, *, has_addresses: bool) -> str:
    if has_addresses:
        return "people: they got a mail less than a day ago"
    if not settings.EMAIL_HOST:
        return "people: this site sends no mail; the administrator sets EMAIL_HOST"
    if to == UNFINISHED and campaign.state != CampaignState.OPEN:
        return "campaign: it is not open, so nobody can go on"
    return f"people: no mail address of {RECIPIENTS[to]}; write to them on their platform"


def _mail(campaign: Campaign, address: str, message: str, link: str) -> EmailMessage:
    """A mail to one person: nobody sees the address of another."""
    text = message.strip() or USUAL_MESSAGE.format(name=campaign.name)
    return EmailMessage(f"Your answers: {campaign.name}", f"{text}\n\n{link}\n", to=[address])
