"""One's own account: its roles, one setting, and the token."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.authtoken.models import Token
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from judging.models import User
from judging.web.api_errors import ProblemsSerializer
from judging.web.api_input import RequestSerializer
from judging.web.role_checks import user_of


class AccountSerializer(serializers.ModelSerializer[User]):
    """An account. rater_name: the name with its votes. single_keys: one key is enough to vote on a page."""

    roles = serializers.SerializerMethodField()
    rater_name = serializers.CharField()

    class Meta:
        model = User
        fields = ["username", "rater_name", "roles", "single_keys"]

    def get_roles(self, user: User) -> list[str]:
        return sorted(user.roles)


class AccountChangeSerializer(RequestSerializer):
    single_keys = serializers.BooleanField()


class OwnAccount(APIView):
    """One's own account. A password is changed on the page, which signs other browsers out."""

    @extend_schema(responses={200: AccountSerializer})
    def get(self, request: Request) -> Response:
        """Return one's own account."""
        return Response(AccountSerializer(user_of(request)).data)

    @extend_schema(request=AccountChangeSerializer, responses={200: AccountSerializer, 400: ProblemsSerializer})
    def patch(self, request: Request) -> Response:
        """Switch single-key voting on or off."""
        user, body = user_of(request), AccountChangeSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        user.single_keys = body.validated_data["single_keys"]
        user.save(update_fields=["single_keys"])
        return Response(AccountSerializer(user).data)


class OwnToken(APIView):
    @extend_schema(responses={204: None})
    def delete(self, request: Request) -> Response:
        """Revoke one's own token. Programs that use it are refused from now on."""
        Token.objects.filter(user=user_of(request)).delete()
        return Response(status=204)
