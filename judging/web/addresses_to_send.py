"""Addresses of invitations, as researchers send them."""

from django.http import HttpRequest
from rest_framework.request import Request

from judging.models import Invitation
from judging.services.invitations.joining import PLATFORM_PARAMETERS


def address_to_send(request: HttpRequest | Request, invitation: Invitation) -> str:
    """Return the address of an invitation. For a platform it has placeholders, which Prolific fills in."""
    return with_platform_parameters(request.build_absolute_uri(invitation.get_absolute_url()), invitation)


def with_platform_parameters(address: str, invitation: Invitation) -> str:
    """Add the placeholders that a recruiting platform fills in; other addresses stay."""
    if invitation.admission != Invitation.Admission.PLATFORM:
        return address
    return f"{address}?{'&'.join(f'{name}={{{{%{name}%}}}}' for name in PLATFORM_PARAMETERS['prolific'])}"
