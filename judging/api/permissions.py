"""Who may do what. What somebody may see is the queryset's affair (`visible_to`); for others it does not exist."""

from __future__ import annotations

from typing import TypeVar, cast

from django.db.models import Model, QuerySet
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from judging.models import User

M = TypeVar("M", bound=Model)


def user_of(request: Request) -> User:
    """Who is signed in."""
    return cast(User, request.user)


def for_researchers(rows: QuerySet[M], request: Request) -> QuerySet[M]:
    """Rows that researchers and admins see; nothing for everybody else."""
    return rows if user_of(request).is_researcher else rows.none()


class AdminsWrite(BasePermission):
    """Reading is the queryset's affair; only admins may add."""

    message = "only admins may upload datasets"

    def has_permission(self, request: Request, view: APIView) -> bool:
        return request.method in SAFE_METHODS or user_of(request).is_admin


class ResearchersWrite(BasePermission):
    """Reading is the queryset's affair; only researchers and admins may add."""

    message = "only researchers may start runs and add prompts"

    def has_permission(self, request: Request, view: APIView) -> bool:
        return request.method in SAFE_METHODS or user_of(request).is_researcher
