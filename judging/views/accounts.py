"""The user's own account: roles, password and API token."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.views import PasswordChangeView
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST
from rest_framework.authtoken.models import Token

from judging.forms.people.own_account import NewPasswordForm
from judging.web.role_checks import SignedInRequest, signed_in

FRESH_TOKEN = "fresh_token"


@require_GET
@never_cache
@signed_in
def account(request: SignedInRequest) -> HttpResponse:
    """Show the account. A new token is shown once."""
    return render(
        request,
        "judging/accounts/account.html",
        {
            "roles": sorted(request.user.roles),
            "token": Token.objects.filter(user=request.user).first(),
            "fresh_token": request.session.pop(FRESH_TOKEN, ""),
        },
    )


@require_POST
@signed_in
def token_create(request: SignedInRequest) -> HttpResponse:
    """Create a token. An older one stops working."""
    Token.objects.filter(user=request.user).delete()
    request.session[FRESH_TOKEN] = Token.objects.create(user=request.user).key
    return redirect("account")


@require_POST
@signed_in
def token_revoke(request: SignedInRequest) -> HttpResponse:
    Token.objects.filter(user=request.user).delete()
    messages.success(request, "The token is revoked. Programs that use it are refused.")
    return redirect("account")


class PasswordChange(PasswordChangeView):
    """The page that changes the user's own password."""

    form_class = NewPasswordForm
    template_name = "judging/accounts/password.html"
    success_url = reverse_lazy("account")

    def form_valid(self, form):  # noqa: ANN001, ANN201 - Django's generic signature
        messages.success(self.request, "The password is changed.")
        return super().form_valid(form)
