"""Signing in for programs: a name and password for a token."""

from __future__ import annotations

from rest_framework.authtoken.views import ObtainAuthToken
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView


class SignInRate(SimpleRateThrottle):
    """Attempts from one address, right or wrong; wrong ones lock the account for a while besides."""

    scope = "sign-in"
    rate = "20/min"

    def get_cache_key(self, request: Request, view: APIView) -> str:
        return self.cache_format % {"scope": self.scope, "ident": request.META.get("REMOTE_ADDR", "")}


class TokenView(ObtainAuthToken):
    """The token of a person, for the header `Authorization: Token …`."""

    throttle_classes = (SignInRate,)
    refused = "no token was given"
