"""For admins: accounts with their roles, password link and state, and the activity."""

from collections.abc import Callable

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from judging.forms.option_form import OptionForm
from judging.forms.people import AccountFilter, ActivityFilter, new_account_form
from judging.models import Activity, User
from judging.services.accounts.account_changes import (
    WITHOUT_ROLE,
    create_account,
    deactivate_account,
    password_link,
    restore_account,
    set_roles,
    unlock_sign_in,
)
from judging.services.accounts.account_list import (
    every_account,
    has_second_factor,
    reset_second_factor,
    role_names,
    state_of,
)
from judging.web.form_fields import showing_refusals, telling_refusals
from judging.web.paging import LongListPaginator, page_of, query_without_page
from judging.web.role_checks import SignedInRequest, admins_only

ACTIVITY_PER_PAGE = 100


@require_safe
@never_cache
@admins_only
def activity_list(request: SignedInRequest) -> HttpResponse:
    """List who did what, latest first, with a search."""
    found = ActivityFilter(request.GET, Activity.objects.matching())
    page = page_of(request, LongListPaginator(found.qs, ACTIVITY_PER_PAGE))
    context = {"page_obj": page, "found": found, "query": query_without_page(request)}
    return render(request, "judging/people/activity_list.html", context)


ACCOUNTS_PER_PAGE = 50
SHOWN_LINK = "password_link"


@require_safe
@admins_only
def account_list(request: SignedInRequest) -> HttpResponse:
    """List accounts by name, with filters."""
    found = AccountFilter(request.GET, every_account())
    page = page_of(request, Paginator(found.qs, ACCOUNTS_PER_PAGE))
    rows = [(account, role_names(account), state_of(account)) for account in page]
    context = {"page_obj": page, "rows": rows, "found": found, "query": query_without_page(request)}
    return render(request, "judging/people/account_list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@admins_only
def account_new(request: SignedInRequest) -> HttpResponse:
    """Create an account. Without a password, its page shows a link to send."""
    form = new_account_form(request)
    if form.is_bound:
        with showing_refusals(form):
            chosen = form.values()
            account = create_account(**chosen)
            messages.success(request, f"Account {account} created.")
            if not chosen["roles"]:
                messages.warning(request, WITHOUT_ROLE)
            if not chosen["password"]:
                show_link(request, account)
            return redirect("account-detail", account.pk)
    return render(request, "judging/people/account_new.html", {"form": form})


@require_safe
@never_cache
@admins_only
def account_detail(request: SignedInRequest, account_id: int) -> HttpResponse:
    """Show an account, and once the link that was just made for it."""
    account = get_object_or_404(every_account(), pk=account_id)
    shown = request.session.pop(SHOWN_LINK, {})
    context = {
        "account": account,
        "roles": role_names(account),
        "state": state_of(account),
        "has_second_factor": has_second_factor(account),
        "form": OptionForm(None, set_roles, initial={"roles": role_names(account)}),
        "link": shown.get("link") if shown.get("account") == account.pk else None,
    }
    return render(request, "judging/people/account_detail.html", context)


@require_POST
@admins_only
def account_roles(request: SignedInRequest, account_id: int) -> HttpResponse:
    """Replace the roles of an account."""
    form = OptionForm(request, set_roles)
    return change_and_return(request, account_id, lambda account: set_roles(account, **form.values()), "Roles saved.")


@require_POST
@admins_only
def account_link(request: SignedInRequest, account_id: int) -> HttpResponse:
    """Make a link by which the person chooses a new password."""
    return change_and_return(request, account_id, lambda account: show_link(request, account), "")


@require_POST
@admins_only
def account_unlock(request: SignedInRequest, account_id: int) -> HttpResponse:
    return change_and_return(request, account_id, unlock_sign_in, "Sign-in is unlocked.")


@require_POST
@admins_only
def account_factor(request: SignedInRequest, account_id: int) -> HttpResponse:
    return change_and_return(request, account_id, reset_second_factor, "The password alone opens the account now.")


@require_POST
@admins_only
def account_deactivate(request: SignedInRequest, account_id: int) -> HttpResponse:
    return change_and_return(request, account_id, deactivate_account, "Account deactivated. Its votes and runs stay.")


@require_POST
@admins_only
def account_restore(request: SignedInRequest, account_id: int) -> HttpResponse:
    return change_and_return(request, account_id, restore_account, "Account restored.")


def change_and_return(
    request: SignedInRequest, account_id: int, change: Callable[[User], object], message: str
) -> HttpResponse:
    """Change an account and return to its page, with a message or with the problems of a refusal."""
    account = get_object_or_404(User, pk=account_id)
    with telling_refusals(request):
        change(account)
        if message:
            messages.success(request, message)
    if account == request.user and not (account.is_active and account.is_admin):
        return redirect("home")
    return redirect("account-detail", account_id)


def show_link(request: SignedInRequest, account: User) -> None:
    """Keep a fresh password link for the account's page, which shows it once."""
    link = request.build_absolute_uri(password_link(account))
    request.session[SHOWN_LINK] = {"account": account.pk, "link": link}
