"""The commands about invitations to a campaign, and its consent text."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from django.urls import reverse

from evenhand.formats.people_files import read_people
from evenhand.options import Option
from evenhand.refusals import Refused
from evenhand.units import counted
from judging.management.command_files import read_source_files, read_text
from judging.management.operations.accounts import LOCAL_SITE, SITE
from judging.management.operations.record import Operation
from judging.models import Campaign, Invitation
from judging.services.invitations.consent import consent_versions, set_consent_text
from judging.services.invitations.invitation_setup import (
    ADMISSION,
    DEFAULT_PEOPLE,
    MOST_COMING,
    SIGNED,
    create_invitation,
    invite_people,
    withdraw_invitation,
)
from judging.services.invitations.messages import message_people
from judging.web.addresses_to_send import with_platform_parameters

WITHOUT = "give --without to ask for no consent"


def invite(
    campaign: Campaign,
    *,
    admission: Annotated[str | None, ADMISSION] = None,
    people: Annotated[Path | None, Option("A table with the column name, email, or both.")] = None,
    most_people: Annotated[int, MOST_COMING] = DEFAULT_PEOPLE,
    signed_only: Annotated[bool, SIGNED] = False,
    site: Annotated[str, SITE] = LOCAL_SITE,
    **limits: Any,  # noqa: ANN401 - options of the service
) -> dict[str, Any]:
    """Make a link by which people come into a campaign, or invite the people of a table. No e-mail is sent."""
    if people is None and admission is None:
        raise Refused("for: missing — give --for account, registration or platform, or a table with --people")
    if people is not None and (admission or signed_only or most_people != DEFAULT_PEOPLE):
        raise Refused("people: a table makes a link for each person — leave out --for, --most-people, --signed-only")
    added: list[str] = []
    if people is None:
        own: dict[str, Any] = {"admission": admission or "", "most_people": most_people, "signed_only": signed_only}
        invited = [create_invitation(campaign, **own, **limits)]
    else:
        found = invite_people(campaign, read_people(*read_source_files([people])), **limits)
        added, invited = [account.get_username() for account in found.added], list(found.invited)
    return {"campaign": campaign.name, "added": added, "invited": [_row(one, site) for one in invited]}


def list_invitations(
    campaign: Campaign,
    *,
    withdraw: Annotated[tuple[int, ...], Option("Close this invitation, by its number.")] = (),
    site: Annotated[str, SITE] = LOCAL_SITE,
) -> dict[str, Any]:
    """List the invitations to a campaign with their links, or withdraw some. People who came by them stay."""
    invitations = Invitation.objects.filter(campaign=campaign).select_related("campaign").order_by("pk")
    known = {one.pk: one for one in invitations}
    if unknown := [number for number in withdraw if number not in known]:
        raise Refused(*(f"withdraw: there is no invitation {number} to {campaign.name}" for number in unknown))
    for number in withdraw:
        withdraw_invitation(known[number])
    return {"campaign": campaign.name, "invitations": [_row(one, site) for one in invitations.all()]}


def mail_people(campaign: Campaign, *, site: Annotated[str, SITE], **chosen: Any) -> dict[str, Any]:  # noqa: ANN401
    """Mail people who take part in a campaign, each at most once in 20 hours."""
    link = site.rstrip("/") + reverse("annotate", args=[campaign.pk])
    return {"campaign": campaign.name, **asdict(message_people(campaign, link, **chosen))}


def list_or_set_consent(
    campaign: Campaign,
    *,
    text: Annotated[Path | None, Option("Store this Markdown text as a new version.")] = None,
    without: Annotated[bool, Option("Ask for no consent from now on.")] = False,
) -> dict[str, Any]:
    """Print the versions of a campaign's consent text, or store a new one. Everybody is then asked again."""
    if text and without:
        raise Refused("text: leave it out, or leave out --without")
    if text or without:
        set_consent_text(campaign, text=read_text(text, option="text", if_empty=WITHOUT) if text else "")
    versions = [
        {
            "version": one.version,
            "text": one.text,
            "created_at": one.created_at.isoformat(),
            "accepted": one.accepted_count,  # type: ignore[attr-defined]  # annotated
        }
        for one in consent_versions(campaign)
    ]
    return {"campaign": campaign.name, "versions": versions}


def _row(invitation: Invitation, site: str) -> dict[str, Any]:
    """Return an invitation for JSON. site: address of the server."""
    names = (
        *("admission", "signed_only", "person", "most_people", "most_pairs"),
        *("completion_code", "screening_code", "state"),
    )
    return {
        "invitation": invitation.pk,
        "link": with_platform_parameters(site.rstrip("/") + invitation.get_absolute_url(), invitation),
        "people": invitation.enrolments.count(),
        "expires_at": invitation.expires_at.isoformat(),
        **{name: getattr(invitation, name) for name in names},
    }


def _described(row: dict[str, Any]) -> str:
    who = row["person"] or row["admission"]
    came = f"{row['people']} of {row['most_people']} came"
    return f"{row['invitation']}: {who}; {came}; {row['state']}, until {row['expires_at'][:16]} UTC; {row['link']}"


def _invited(result: dict[str, Any]) -> Iterator[str]:
    yield from (f"{name} has an account and takes part now" for name in result["added"])
    yield from map(_described, result["invited"])


def _versions(result: dict[str, Any]) -> Iterator[str]:
    if not result["versions"]:
        yield "no consent text; annotators are asked for none"
    for one in result["versions"]:
        people = f"{one['accepted']:,} accepted" if one["text"] else "asks for no consent"
        characters = counted(len(one["text"]), "character")
        yield f"version {one['version']}, {one['created_at'][:10]}: {characters}; {people}"


INVITE = Operation(
    invite,
    _invited,
    examples=(
        'invite "Coherence" --for registration --most-people 20 --days 14',
        'invite "Coherence" --people people.csv --site https://evenhand.example.org --json',
    ),
    of="campaign",
    services=(invite_people,),
)
INVITATIONS = Operation(
    list_invitations,
    lambda result: [*map(_described, result["invitations"])] or ["no invitations"],
    examples=('invitations "Coherence"', 'invitations "Coherence" --withdraw 7'),
    of="campaign",
)
MESSAGE_PEOPLE = Operation(
    mail_people,
    lambda sent: [
        f"{sent['campaign']}: mailed to {sent['mailed']}; {sent['without_address']} without an address, "
        f"{sent['mailed_before']} mailed less than a day ago, {sent['refused']} refused by the mail server"
    ],
    examples=(
        'message_people "Coherence" --site https://evenhand.example.org',
        'message_people "Coherence" --site https://evenhand.example.org --to finished --message "Thank you!"',
    ),
    of="campaign",
    services=(message_people,),
)
CONSENT = Operation(
    list_or_set_consent,
    _versions,
    examples=('consent "Coherence"', 'consent "Coherence" --text consent.md', 'consent "Coherence" --without'),
    of="campaign",
)
