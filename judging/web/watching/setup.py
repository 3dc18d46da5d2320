"""Settings that contradict each other, for the command `doctor` and for `check --deploy`."""

from collections.abc import Iterator

from django.conf import settings
from django.core.checks import CheckMessage, Tags, Warning, register

SETUP = "evenhand"
LOCAL_HOSTS = {"localhost", "127.0.0.1", "[::1]"}


def setup_problems() -> Iterator[str]:
    """Yield what is wrong, and what to do."""
    if settings.DEBUG:
        yield "DEBUG is on, and shows code and settings to visitors: leave it out"
    if {*settings.ALLOWED_HOSTS} - LOCAL_HOSTS and not settings.HTTPS:
        yield "others reach this site without HTTPS: put a proxy in front, and set HTTPS=1"
    if settings.HTTPS and not settings.CSRF_TRUSTED_ORIGINS:
        yield "HTTPS is on, and forms are refused: set CSRF_TRUSTED_ORIGINS to the address of the site"
    if bool(settings.ADMINS) != bool(settings.EMAIL_HOST):
        yield "errors are not mailed: set ADMINS and EMAIL_HOST, or neither"


@register(Tags.security, deploy=True)
def check_setup(**options: object) -> list[CheckMessage]:
    return [Warning(problem, id=f"{SETUP}.W001") for problem in setup_problems()]
