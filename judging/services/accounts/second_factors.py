"""Second factors of an account, which allauth stores."""

from allauth.mfa.models import Authenticator

from judging.models import User
from judging.models.activity import Act
from judging.services.activity import noted


def has_second_factor(account: User) -> bool:
    """Return True for an account with an app or a key. Recovery codes alone do not count."""
    return Authenticator.objects.filter(user=account).exclude(type=Authenticator.Type.RECOVERY_CODES).exists()


@noted(Act.CHANGE, what="second factor reset")
def reset_second_factor(account: User) -> bool:
    """Remove the second factors of a person who lost theirs. Returns False if there are none."""
    return bool(Authenticator.objects.filter(user=account).delete()[0])
