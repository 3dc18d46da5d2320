"""Sign-in by OpenID Connect: the way to a provider, and the way back."""

from collections.abc import Mapping
from typing import cast

from allauth.account.views import LoginView
from allauth.socialaccount.providers.openid_connect import views
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from requests import RequestException

from judging.web.accounts.openid import UNREACHABLE, refuse


def providers() -> list[Mapping[str, str]]:
    """Return the records of the providers from the settings."""
    return cast(list[Mapping[str, str]], settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"])


by_password = LoginView.as_view(extra_context={"providers": providers})  # a template calls it
come_back = never_cache(require_safe(views.callback))


@require_safe
@never_cache
def sign_in(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Lead to the provider. One that does not answer gets a plain page."""
    try:
        response: HttpResponse = views.login(request, provider_id)
    except RequestException:
        return refuse(request, UNREACHABLE)
    return response
