"""The keys of the voting page: on or off, and which."""

from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from judging.forms.people.own_keys import VoteKeysForm
from judging.services.accounts.vote_keys import choose_keys, use_usual_keys
from judging.web.role_checks import SignedInRequest, signed_in


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
