"""Deleting a dataset, a run, a judge or an account, and what goes with it."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evenhand.options import options_of
from evenhand.report_json import as_json
from judging.services.deletion.account_deletion import delete_account
from judging.services.deletion.row_deletion import Deletion, delete_row
from judging.web.api_input import request_of, sent_options
from judging.web.operations.deletable_rows import DELETABLE_KINDS, row_to_delete
from judging.web.report_schema import serializer_of
from judging.web.role_checks import AdminsOnly, user_of

RowDeletionSerializer = request_of(options_of(delete_row), name="RowDeletionSerializer")
AccountDeletionSerializer = request_of(options_of(delete_account), name="AccountDeletionSerializer")


class RowDeletion(APIView):
    noun = ""
    refused = "nothing was deleted"

    @extend_schema(responses={200: serializer_of(Deletion)})
    def get(self, request: Request, pk: int) -> Response:
        """Return what would be deleted together. For its owner and admins."""
        user = user_of(request)
        return Response(as_json(DELETABLE_KINDS[self.noun].deletion_of(row_to_delete(self.noun, pk, user), user)))

    @extend_schema(request=RowDeletionSerializer, responses={200: serializer_of(Deletion)})
    def post(self, request: Request, pk: int) -> Response:
        """Delete it with everything that goes with it. For its owner and admins; work of others only for admins."""
        kind, user = DELETABLE_KINDS[self.noun], user_of(request)
        row = row_to_delete(self.noun, pk, user)
        return Response(as_json(kind.delete(row, user, **sent_options(request, kind.delete))))


class AccountDeletion(RowDeletion):
    noun = "account"
    permission_classes = (AdminsOnly,)

    @extend_schema(request=AccountDeletionSerializer, responses={200: serializer_of(Deletion)})
    def post(self, request: Request, pk: int) -> Response:
        """Erase what names a person. Their votes stay under the pseudonym unless `answers` is true. For admins."""
        return super().post(request, pk)
