"""One's own account: its roles, and tokens for programs."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.authtoken.serializers import AuthTokenSerializer
from rest_framework.authtoken.views import ObtainAuthToken
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evenhand.options import options_of, read_options
from judging.models import ApiToken, User
from judging.services.accounts.account_list import has_second_factor
from judging.services.accounts.api_tokens import create_token, revoke_token, revoke_tokens, tokens_of
from judging.web.accounts.second_factor import needs_second_factor
from judging.web.api_input import request_of, values_of_body
from judging.web.limits.clients import SignInRate
from judging.web.role_checks import user_of

SIGN_IN_FIELDS = ("username", "password")


class SignInSerializer(AuthTokenSerializer, request_of(options_of(create_token), name="NewTokenSerializer")):  # type: ignore[misc]
    """Name, password, and the options of the token."""


class ApiTokenSerializer(serializers.ModelSerializer[ApiToken]):
    """A token. token: its first characters. scopes: what it may do; empty for all that its owner may."""

    token = serializers.CharField(source="token_key")
    expires = serializers.DateTimeField(source="expiry")
    scopes = serializers.ListField(child=serializers.CharField())

    class Meta:
        model = ApiToken
        fields = ["token", "name", "scopes", "created", "expires", "last_used"]


class SecretSerializer(serializers.Serializer[Any]):
    token = serializers.CharField(help_text="For the header `Authorization: Token …`. It is shown only now.")


class TokenView(ObtainAuthToken):
    throttle_classes = (SignInRate,)
    refused = "no token was issued"

    @extend_schema(request=SignInSerializer, responses={200: SecretSerializer})
    def post(self, request: Request) -> Response:
        """Make a token for the header `Authorization: Token …`."""
        signing_in = self.get_serializer(data=request.data)
        signing_in.is_valid(raise_exception=True)
        sent = {name: value for name, value in values_of_body(request.data).items() if name not in SIGN_IN_FIELDS}
        options = read_options(options_of(create_token), sent)
        account = signing_in.validated_data["user"]
        if has_second_factor(account) or needs_second_factor(account):
            raise PermissionDenied("this account needs a second factor; sign in by browser and make the token there")
        return Response({"token": create_token(account, **options).secret})


class OwnTokens(generics.ListAPIView[ApiToken]):
    """One's own tokens, the newest first. Nobody sees more of them than their first characters."""

    serializer_class = ApiTokenSerializer
    queryset = ApiToken.objects.all()

    def get_queryset(self) -> Any:  # noqa: ANN401 - knox is not typed
        return tokens_of(user_of(self.request))


class OwnTokenEnd(APIView):
    @extend_schema(responses={204: None})
    def delete(self, request: Request, beginning: str) -> Response:
        """End one of one's own tokens, by its first characters. Programs that use it are refused from now on."""
        revoke_token(user_of(request), beginning)
        return Response(status=204)


class OwnTokensEnd(APIView):
    @extend_schema(responses={204: None})
    def delete(self, request: Request) -> Response:
        """End all of one's own tokens. Programs that use them are refused from now on."""
        revoke_tokens(user_of(request))
        return Response(status=204)


class AccountSerializer(serializers.ModelSerializer[User]):
    """One's own account. rater_name: the name with its votes."""

    roles = serializers.SerializerMethodField()
    rater_name = serializers.CharField()

    class Meta:
        model = User
        fields = ["username", "rater_name", "roles"]

    def get_roles(self, user: User) -> list[str]:
        return sorted(user.roles)


class OwnAccount(APIView):
    @extend_schema(responses={200: AccountSerializer})
    def get(self, request: Request) -> Response:
        """Return one's own account."""
        return Response(AccountSerializer(user_of(request)).data)
