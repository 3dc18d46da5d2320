"""Who may open a page. What somebody may see on it is the queryset's affair (`visible_to`)."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeAlias, cast

from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponseBase
from django_htmx.http import HttpResponseClientRedirect

from judging.models import User

P = ParamSpec("P")


class SignedInRequest(HttpRequest):
    """A request after `login_required`."""

    user: User


View: TypeAlias = Callable[Concatenate[SignedInRequest, P], HttpResponseBase]
Guarded: TypeAlias = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def _only(allowed: Callable[[User], bool]) -> Callable[[View[P]], Guarded[P]]:
    def decorate(view: View[P]) -> Guarded[P]:
        @wraps(view)
        def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            signed_in = cast(SignedInRequest, request)
            if not allowed(signed_in.user):
                raise Http404("not for this role")
            return view(signed_in, *args, **kwargs)

        return sign_in_whole_page(login_required(guarded))

    return decorate


def sign_in_whole_page(view: Guarded[P]) -> Guarded[P]:
    """When htmx asks for a part of a page and nobody is signed in, lead the whole page to sign-in and back."""

    @wraps(view)
    def answered(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if "HX-Request" not in request.headers or request.user.is_authenticated:
            return view(request, *args, **kwargs)
        page = request.headers.get("HX-Current-URL", "/")
        return HttpResponseClientRedirect(redirect_to_login(page).url)

    return answered


def signed_in(view: View[P]) -> Guarded[P]:
    """Everybody with an account; others are asked to sign in."""
    return _only(lambda user: user.is_active)(view)


def researchers_only(view: View[P]) -> Guarded[P]:
    """Researchers and admins; to everybody else with an account the page does not exist."""
    return _only(lambda user: user.is_researcher)(view)


def admins_only(view: View[P]) -> Guarded[P]:
    """Admins; to everybody else with an account the page does not exist."""
    return _only(lambda user: user.is_admin)(view)
