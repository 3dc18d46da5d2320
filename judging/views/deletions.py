"""The page that shows what goes with a dataset, a run, a judge or an account, and deletes it."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from judging.forms.option_form import OptionForm
from judging.web.form_fields import showing_refusals
from judging.web.operations.deletable_rows import DELETABLE_KINDS, row_to_delete
from judging.web.role_checks import SignedInRequest, researchers_only


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@researchers_only
def deletion(request: SignedInRequest, *, noun: str, **place: int) -> HttpResponse:
    """Show what goes with a row; delete it once its name is typed. For its owner and admins; others get a 404."""
    kind, (pk,) = DELETABLE_KINDS[noun], place.values()
    try:
        row = row_to_delete(noun, pk, request.user)
    except PermissionDenied as denied:
        raise Http404 from denied
    form = OptionForm(request, kind.delete)
    form.fields["name"].label = f"Type “{row}”"
    if form.is_bound:
        with showing_refusals(form):
            name = kind.delete(row, request.user, **form.values()).name
            messages.success(request, f"{name[:1].upper()}{name[1:]} is deleted.")
            return redirect(f"{noun}-list")
    found = kind.deletion_of(row, request.user)
    context = {
        "noun": noun,
        "row": row,
        "form": form,
        "deletion": found,
        "rows": [(name, number, found.of_others.get(name, 0)) for name, number in found.goes.items()],
        "back": reverse("account-detail", args=[pk]) if noun == "account" else row.get_absolute_url(),
    }
    return render(request, "judging/deletion.html", context)
