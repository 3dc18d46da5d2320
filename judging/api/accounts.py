"""One's own account: its roles, the keys of the voting page and the password."""

from typing import Any

from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.forms import PasswordChangeForm
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evenhand.refusals import Refused
from judging.models import User
from judging.services.accounts.own_data import own_data
from judging.services.accounts.vote_keys import choose_keys, keys_of, use_usual_keys
from judging.services.deletion.account_deletion import delete_own_account
from judging.web.api_errors import ProblemsSerializer
from judging.web.api_input import RequestSerializer, body_of
from judging.web.role_checks import user_of


class AccountSerializer(serializers.ModelSerializer[User]):
    """One's own account. rater_name: the name with its votes. single_keys: one key is enough to vote on a page.

    vote_keys: the keys of each action on the voting page.
    """

    roles = serializers.SerializerMethodField()
    rater_name = serializers.CharField()
    vote_keys = serializers.SerializerMethodField()

    class Meta:
        model = User
        fields = ["username", "rater_name", "roles", "single_keys", "vote_keys"]

    def get_roles(self, user: User) -> list[str]:
        return sorted(user.roles)

    def get_vote_keys(self, user: User) -> dict[str, list[str]]:
        return {action: list(keys) for action, keys in keys_of(user).items()}


class AccountChangeSerializer(RequestSerializer):
    """Changes of one's own account. vote_keys: keys of some or all actions; null for the usual keys."""

    single_keys = serializers.BooleanField(required=False)
    vote_keys = serializers.DictField(
        child=serializers.ListField(child=serializers.CharField(max_length=20)), required=False, allow_null=True
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if not attrs:
            raise serializers.ValidationError("name single_keys or vote_keys")
        return attrs


class PasswordChangeSerializer(RequestSerializer):
    old_password = serializers.CharField(trim_whitespace=False)
    new_password = serializers.CharField(trim_whitespace=False)


class OwnAccount(APIView):
    @extend_schema(responses={200: AccountSerializer})
    def get(self, request: Request) -> Response:
        """Return one's own account."""
        return Response(AccountSerializer(user_of(request)).data)

    @extend_schema(request=AccountChangeSerializer, responses={200: AccountSerializer, 400: ProblemsSerializer})
    def patch(self, request: Request) -> Response:
        """Switch single-key voting on or off, and choose the keys of the voting page."""
        user, values = user_of(request), body_of(AccountChangeSerializer, request)
        if "vote_keys" in values:
            _change_keys(user, values["vote_keys"])
        if "single_keys" in values:
            user.single_keys = values["single_keys"]
            user.save(update_fields=["single_keys"])
        return Response(AccountSerializer(user).data)


def _change_keys(user: User, keys: dict[str, list[str]] | None) -> None:
    """Store keys, or the usual ones for None. Raises Refused for keys that cannot be used."""
    if keys is None:
        use_usual_keys(user)
        return
    try:
        choose_keys(user, keys)
    except Refused as refused:
        raise Refused(*(f"vote_keys.{problem}" for problem in refused.problems)) from refused


class OwnPassword(APIView):
    @extend_schema(request=PasswordChangeSerializer, responses={204: None, 400: ProblemsSerializer})
    def post(self, request: Request) -> Response:
        """Change one's own password. Browsers that are signed in elsewhere are signed out, and all tokens end."""
        values = body_of(PasswordChangeSerializer, request)
        old, new = values["old_password"], values["new_password"]
        form = PasswordChangeForm(user_of(request), {"old_password": old, "new_password1": new, "new_password2": new})
        if not form.is_valid():
            names = {"new_password1": "new_password", "new_password2": "new_password"}
            raise Refused(
                *(f"{names.get(field, field)}: {one}" for field, errors in form.errors.items() for one in errors)
            )
        update_session_auth_hash(request._request, form.save())
        return Response(status=204)


class OwnDeletionSerializer(RequestSerializer):
    password = serializers.CharField(trim_whitespace=False, default="", allow_blank=True)


class OwnDataSerializer(serializers.Serializer[Any]):
    """Everything stored about oneself. answers: with the texts in the order shown. sign_ins: time, address, browser."""

    account = serializers.DictField()
    campaigns = serializers.ListField(child=serializers.DictField())
    invitations = serializers.ListField(child=serializers.DictField())
    consents = serializers.ListField(child=serializers.DictField())
    answers = serializers.ListField(child=serializers.DictField())
    tokens = serializers.ListField(child=serializers.DictField())
    sign_ins = serializers.ListField(child=serializers.DictField())
    failed_sign_ins = serializers.ListField(child=serializers.DictField())


class OwnData(APIView):
    @extend_schema(responses={200: OwnDataSerializer})
    def get(self, request: Request) -> Response:
        """Return everything stored about oneself: account, campaigns, invitations, consents, answers, sign-ins."""
        return Response(own_data(user_of(request)))


class OwnDeletion(APIView):
    @extend_schema(request=OwnDeletionSerializer, responses={204: None, 400: ProblemsSerializer})
    def post(self, request: Request) -> Response:
        """Delete one's own account, with its password if it has one. For annotators; votes stay under the pseudonym."""
        values = body_of(OwnDeletionSerializer, request)
        user = user_of(request)
        if user.has_usable_password() and not user.check_password(values["password"]):
            raise Refused("password: wrong")
        delete_own_account(user)
        return Response(status=204)
