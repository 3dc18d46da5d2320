"""Addresses of invitations and of campaigns, as they are sent to people."""

from django.http import HttpRequest
from django.urls import reverse
from rest_framework.request import Request

from judging.models import Campaign, Invitation
from judging.services.invitations.joining import PLATFORM_PARAMETERS


def address_to_send(request: HttpRequest | Request, invitation: Invitation) -> str:
    """Return the address of an invitation. For a platform it has placeholders, which Prolific fills in."""
    return with_platform_parameters(request.build_absolute_uri(invitation.get_absolute_url()), invitation)


def voting_address(request: HttpRequest | Request, campaign: Campaign) -> str:
    """Return the address at which the people of a campaign go on."""
    return request.build_absolute_uri(reverse("annotate", args=[campaign.pk]))


def with_platform_parameters(address: str, invitation: Invitation) -> str:
    """Add the placeholders that a recruiting platform fills in; other addresses stay."""
    if invitation.admission != Invitation.Admission.PLATFORM:
        return address
    return f"{address}?{'&'.join(f'{name}={{{{%{name}%}}}}' for name in PLATFORM_PARAMETERS['prolific'])}"
