"""Sign-in for programs: a token for name and password."""

from __future__ import annotations

from rest_framework.authtoken.views import ObtainAuthToken
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView


class SignInRate(SimpleRateThrottle):
    """Limits sign-in attempts from one address. Wrong passwords also lock the account for a while."""

    scope = "sign-in"
    rate = "20/min"

    def get_cache_key(self, request: Request, view: APIView) -> str:
        return self.cache_format % {"scope": self.scope, "ident": request.META.get("REMOTE_ADDR", "")}


class TokenView(ObtainAuthToken):
    """Returns a user's token for the header `Authorization: Token …`."""

    throttle_classes = (SignInRate,)
    refused = "no token was issued"
