"""For admins: accounts with their roles, state and password links, and the activity."""

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evenhand.options import options_of
from judging.forms.people import AccountFilter, ActivityFilter
from judging.models import Activity, User
from judging.services.accounts.account_changes import change_account, create_account, password_link, unlock_sign_in
from judging.services.accounts.account_list import STATES, every_account, role_names, state_of
from judging.web.api_input import request_of, sent_changes, sent_options
from judging.web.role_checks import AdminsOnly


class ActivitySerializer(serializers.ModelSerializer[Activity]):
    """One action. who: name of the account, `command line` or `visitor`."""

    who = serializers.CharField(source="who_name")

    class Meta:
        model = Activity
        fields = ["at", "who", "action", "on"]


class ActivityList(generics.ListAPIView[Activity]):
    """Who did what, latest first. text: words in the name of the account or of the thing."""

    serializer_class = ActivitySerializer
    filterset_class = ActivityFilter
    permission_classes = (AdminsOnly,)
    queryset = Activity.objects.matching()


class ManagedAccountSerializer(serializers.ModelSerializer[User]):
    """An account. last_seen: to five minutes. failed_sign_ins: wrong passwords since the last sign-in."""

    name = serializers.CharField(source="username")
    roles = serializers.SerializerMethodField()
    state = serializers.SerializerMethodField(help_text=f"One of {', '.join(STATES)}.")
    failed_sign_ins = serializers.IntegerField()

    class Meta:
        model = User
        fields = ["id", "name", "email", "roles", "state", "last_seen", "last_login", "failed_sign_ins", "date_joined"]

    def get_roles(self, account: User) -> list[str]:
        return role_names(account)

    def get_state(self, account: User) -> str:
        return state_of(account)


NewAccountSerializer = request_of(options_of(create_account), name="NewAccountSerializer")
AccountUpdateSerializer = request_of(options_of(change_account), name="AccountUpdateSerializer")


class PasswordLinkSerializer(serializers.Serializer[Any]):
    link = serializers.CharField(help_text="A page where the person chooses a password; works once, for seven days.")


class AccountRows(generics.GenericAPIView[User]):
    serializer_class = ManagedAccountSerializer
    permission_classes = (AdminsOnly,)
    queryset = User.objects.all()

    def get_queryset(self) -> QuerySet[User]:
        return every_account()


class ManagedAccountList(AccountRows, generics.ListAPIView[User]):
    """Accounts by name, deleted ones only for their state. name: a part of it, or of the e-mail address."""

    filterset_class = AccountFilter

    @extend_schema(request=NewAccountSerializer, responses={201: ManagedAccountSerializer})
    def post(self, request: Request) -> Response:
        """Create an account."""
        account = create_account(**sent_options(request, create_account))
        return Response(ManagedAccountSerializer(every_account().get(pk=account.pk)).data, 201)


class ManagedAccount(AccountRows, generics.RetrieveAPIView[User]):
    @extend_schema(request=AccountUpdateSerializer, responses={200: ManagedAccountSerializer})
    def patch(self, request: Request, pk: int) -> Response:
        """Change the roles of an account, deactivate or restore it. The last active admin stays one."""
        change_account(self.get_object(), **sent_changes(request, change_account))
        return Response(ManagedAccountSerializer(self.get_object()).data)


class AccountPasswordLink(APIView):
    permission_classes = (AdminsOnly,)

    @extend_schema(request=None, responses={200: PasswordLinkSerializer})
    def post(self, request: Request, pk: int) -> Response:
        """Make a link by which the person chooses a password."""
        link = password_link(get_object_or_404(User, pk=pk))
        return Response({"link": request.build_absolute_uri(link)})


class AccountUnlock(APIView):
    permission_classes = (AdminsOnly,)

    @extend_schema(request=None, responses={204: None})
    def post(self, request: Request, pk: int) -> Response:
        """Forget the wrong passwords that lock the sign-in of an account."""
        unlock_sign_in(get_object_or_404(User, pk=pk))
        return Response(status=204)
