"""The user's own account: roles, password and API tokens."""

from allauth.account.views import PasswordChangeView
from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from judging.forms.option_form import OptionForm
from judging.services.accounts.api_tokens import create_token, revoke_token, tokens_of
from judging.views.people.password_links import asking
from judging.web.form_fields import telling_refusals
from judging.web.role_checks import SignedInRequest, signed_in

FRESH_TOKEN = "fresh_token"
NEW_ENDS_OLD = "A new password ends your tokens, and your sessions in other browsers."


@require_GET
@never_cache
@signed_in
def account(request: SignedInRequest) -> HttpResponse:
    """Show the account. A new token is shown once."""
    return _account_page(request, OptionForm(None, create_token), request.session.pop(FRESH_TOKEN, ""))


def _account_page(request: SignedInRequest, form: OptionForm, fresh_token: str = "") -> HttpResponse:
    shown = {
        "roles": sorted(request.user.roles),
        "tokens": tokens_of(request.user),
        "fresh_token": fresh_token,
        "form": form,
    }
    return render(request, "judging/accounts/account.html", shown, status=400 if form.errors else 200)


@require_POST
@signed_in
def token_create(request: SignedInRequest) -> HttpResponse:
    form = OptionForm(request, create_token)
    with form.showing_refusals():
        request.session[FRESH_TOKEN] = create_token(request.user, **form.values()).secret
        return redirect("account")
    return _account_page(request, form)


@require_POST
@signed_in
def token_revoke(request: SignedInRequest) -> HttpResponse:
    with telling_refusals(request):
        revoke_token(request.user, request.POST.get("token", ""))
        messages.success(request, "The token is revoked. Programs that use it are refused.")
    return redirect("account")


change_password = asking(PasswordChangeView, "Change the password", NEW_ENDS_OLD, "Change the password")


@signed_in
def password_change(request: SignedInRequest) -> HttpResponseBase:
    """Change one's own password. Accounts without one have no such page."""
    if not request.user.has_usable_password():
        raise Http404("no password")
    return change_password(request)
