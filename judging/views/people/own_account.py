"""One's own data: the download of everything stored, and deleting the account."""

from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from evenhand.refusals import Refused
from judging.forms.people.own_account import AccountDeletionForm
from judging.services.accounts.own_data import own_data
from judging.services.deletion.account_deletion import delete_own_account
from judging.web.downloads import note_download
from judging.web.role_checks import SignedInRequest, signed_in


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
        try:
            delete_own_account(request.user)
        except Refused as refused:
            form.add_error(None, list(refused.problems))
        else:
            logout(request)
            messages.success(request, "Your account is deleted. Your votes stay under the pseudonym.")
            return redirect("account_login")
    return render(request, "judging/people/account_delete.html", {"form": form})
