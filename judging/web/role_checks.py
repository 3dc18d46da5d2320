"""Role checks of pages and the HTTP API: what visitors, annotators, researchers and admins may do.

Which rows a person sees is decided by the querysets (`visible_to`). Other rows answer 404.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeAlias, TypeVar, cast

from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponseBase
from django_htmx.http import HttpResponseClientRedirect
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from judging.models import User

M = TypeVar("M", bound=Model)
P = ParamSpec("P")


class SignedInRequest(HttpRequest):
    """A request after `login_required`."""

    user: User


PageView: TypeAlias = Callable[Concatenate[SignedInRequest, P], HttpResponseBase]
GuardedView: TypeAlias = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def may_upload_datasets(user: User) -> bool:
    """Only admins upload datasets, by the page and by the API."""
    return user.is_admin


def signed_in(view: PageView[P]) -> GuardedView[P]:
    """Open a page to every account. Visitors are sent to sign-in."""
    return _only(lambda user: user.is_active)(view)


def researchers_only(view: PageView[P]) -> GuardedView[P]:
    """Open a page to researchers and admins. Other accounts get a 404."""
    return _only(lambda user: user.is_researcher)(view)


def admins_only(view: PageView[P]) -> GuardedView[P]:
    """Open a page to admins. Other accounts get a 404."""
    return _only(lambda user: user.is_admin)(view)


def dataset_uploaders_only(view: PageView[P]) -> GuardedView[P]:
    """Open a page to people who may upload datasets. Other accounts get a 404."""
    return _only(may_upload_datasets)(view)


def _only(is_allowed: Callable[[User], bool]) -> Callable[[PageView[P]], GuardedView[P]]:
    def decorate(view: PageView[P]) -> GuardedView[P]:
        @wraps(view)
        def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            signed_in = cast(SignedInRequest, request)
            if not is_allowed(signed_in.user):
                raise Http404("not for this role")
            return view(signed_in, *args, **kwargs)

        return sign_in_whole_page(login_required(guarded))

    return decorate


def sign_in_whole_page(view: GuardedView[P]) -> GuardedView[P]:
    """Redirect the whole page to sign-in and back when htmx requests a fragment for a visitor."""

    @wraps(view)
    def redirecting(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if "HX-Request" not in request.headers or request.user.is_authenticated:
            return view(request, *args, **kwargs)
        page = request.headers.get("HX-Current-URL", "/")
        return HttpResponseClientRedirect(redirect_to_login(page).url)

    return redirecting


def user_of(request: Request) -> User:
    """Return the signed-in user of an API request."""
    return cast(User, request.user)


def for_researchers(rows: QuerySet[M], request: Request) -> QuerySet[M]:
    """Keep rows for researchers and admins. Other accounts get an empty queryset."""
    return rows if user_of(request).is_researcher else rows.none()


class UploadersWrite(BasePermission):
    """Lets people who may upload datasets write. Reading is decided by the queryset."""

    message = "only admins may upload datasets"

    def has_permission(self, request: Request, view: APIView) -> bool:
        return request.method in SAFE_METHODS or may_upload_datasets(user_of(request))


class ResearchersWrite(BasePermission):
    """Lets researchers and admins write. Reading is decided by the queryset."""

    message = "only researchers may start runs and add prompts"

    def has_permission(self, request: Request, view: APIView) -> bool:
        return request.method in SAFE_METHODS or user_of(request).is_researcher
