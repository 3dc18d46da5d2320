"""Role checks of pages and the HTTP API: what visitors, annotators, researchers and admins may do.

Which rows a person sees is decided by the querysets (`visible_to`). Other rows answer 404.
"""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeAlias, TypeVar, cast

from django.contrib import messages
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


SIGNED_OUT = "You were signed out. Nothing was saved; please sign in and send it again."


class SignedInRequest(HttpRequest):
    """A request after `login_required`."""

    user: User


PageView: TypeAlias = Callable[Concatenate[SignedInRequest, P], HttpResponseBase]
GuardedView: TypeAlias = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def _only(is_allowed: Callable[[User], bool]) -> Callable[[PageView[P]], GuardedView[P]]:
    def decorate(view: PageView[P]) -> GuardedView[P]:
        @wraps(view)
        def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            own_request = cast(SignedInRequest, request)
            if not is_allowed(own_request.user):
                raise Http404("not for this role")
            return view(own_request, *args, **kwargs)

        return sign_in_whole_page(login_required(guarded))

    return decorate


def sign_in_whole_page(view: GuardedView[P]) -> GuardedView[P]:
    """Redirect visitors to sign-in and back to their page, also from its fragments and forms."""

    @wraps(view)
    def redirecting(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if request.user.is_authenticated:
            return view(request, *args, **kwargs)
        if "HX-Request" in request.headers:
            page = request.headers.get("HX-Current-URL", "/")
            return HttpResponseClientRedirect(redirect_to_login(page).url)
        if request.method not in SAFE_METHODS and "text/html" in request.headers.get("Accept", ""):  # sent by no script
            messages.warning(request, SIGNED_OUT)
            return redirect_to_login(request.headers.get("Referer") or request.get_full_path())
        return view(request, *args, **kwargs)

    return redirecting


signed_in = _only(lambda user: user.is_active)
"""Open a page to every account. Visitors are sent to sign-in."""

researchers_only = _only(lambda user: user.is_researcher)
"""Open a page to researchers and admins. Other accounts get a 404."""

admins_only = _only(lambda user: user.is_admin)
"""Open a page to admins. Other accounts get a 404."""


def user_of(request: HttpRequest | Request) -> User:
    """Return the signed-in user of a request."""
    return cast(User, request.user)


def for_researchers(rows: QuerySet[M], request: Request) -> QuerySet[M]:
    """Keep rows for researchers and admins. Other accounts get an empty queryset."""
    return rows if user_of(request).is_researcher else rows.none()


class ResearchersWrite(BasePermission):
    """Lets researchers and admins write. Reading is decided by the queryset."""

    message = "only researchers may add datasets, runs, judges and prompts"

    def has_permission(self, request: Request, view: APIView) -> bool:
        return request.method in SAFE_METHODS or user_of(request).is_researcher


class AdminsOnly(BasePermission):
    """Opens an address to admins. Other accounts get a 404: accounts of others do not exist for them."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if user_of(request).is_authenticated and not user_of(request).is_admin:
            raise Http404
        return user_of(request).is_authenticated
