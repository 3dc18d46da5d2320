"""The user's own account: roles, password, tokens, keys of the voting page, sessions, data, and its deletion."""

from urllib.parse import urlencode

from allauth.account.views import PasswordChangeView
from allauth.usersessions.adapter import get_adapter
from allauth.usersessions.models import UserSession
from allauth.usersessions.views import list_usersessions
from django.contrib import messages
from django.contrib.auth import logout
from django.http import Http404, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST, require_safe

from judging.forms.option_form import OptionForm
from judging.forms.people import AccountDeletionForm, VoteKeysForm
from judging.services.accounts.api_tokens import create_token, revoke_token, tokens_of
from judging.services.accounts.own_data import own_data
from judging.services.accounts.vote_keys import choose_keys, use_usual_keys
from judging.services.deletion.account_deletion import delete_own_account
from judging.views.people.sign_in_pages import asking
from judging.web.downloads import note_download
from judging.web.form_fields import showing_refusals, telling_refusals
from judging.web.role_checks import SignedInRequest, signed_in

session_list = never_cache(signed_in(list_usersessions))


@require_POST
@signed_in
def session_end(request: SignedInRequest, number: int) -> HttpResponse:
    """End another session of one's own."""
    session = get_object_or_404(
        UserSession.objects.exclude(session_key=request.session.session_key), user=request.user, pk=number
    )
    get_adapter().end_sessions([session])
    messages.success(request, "The session is ended.")
    return redirect("usersessions_list")


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@signed_in
def own_keys(request: SignedInRequest) -> HttpResponse:
    """Show a field for the keys of each action. Posting stores them and leads back to `next`."""
    back = _page_of_ours(request, request.GET.get("next", ""), otherwise="account")
    if "usual" in request.POST:
        use_usual_keys(request.user)
        messages.success(request, "You have the usual keys again.")
        return redirect(f"{reverse('account-keys')}?{urlencode({'next': back})}")
    form = VoteKeysForm(request.user, request.POST if request.method == "POST" else None)
    if form.is_valid():
        choose_keys(request.user, form.cleaned_data)
        messages.success(request, "Your keys are saved.")
        return redirect(back)
    return render(request, "judging/people/own_keys.html", {"form": form, "back": back})


@require_POST
@signed_in
def single_keys(request: SignedInRequest) -> HttpResponse:
    """Switch single-key voting on or off for the user."""
    request.user.single_keys = request.POST.get("single_keys") == "on"
    request.user.save(update_fields=["single_keys"])
    return redirect(_page_of_ours(request, request.POST.get("next", ""), otherwise="home"))


def _page_of_ours(request: SignedInRequest, address: str, *, otherwise: str) -> str:
    """Return an address if it is a page of this site; else that of a named page."""
    ours = url_has_allowed_host_and_scheme(
        address, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return address if ours and address.startswith("/") else reverse(otherwise)


@require_safe
@never_cache
@signed_in
def own_data_download(request: SignedInRequest) -> HttpResponse:
    """Download everything stored about oneself as JSON."""
    note_download("evenhand-account.json")
    response = JsonResponse(own_data(request.user), json_dumps_params={"indent": 1, "ensure_ascii": False})
    response["Content-Disposition"] = 'attachment; filename="evenhand-account.json"'
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@signed_in
def account_delete(request: SignedInRequest) -> HttpResponse:
    """Ask for the password, then delete the account and sign out."""
    form = AccountDeletionForm(request.user, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        with showing_refusals(form):
            delete_own_account(request.user)
            logout(request)
            messages.success(request, "Your account is deleted. Your votes stay under the pseudonym.")
            return redirect("account_login")
    return render(request, "judging/people/account_delete.html", {"form": form})


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
    with showing_refusals(form):
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
