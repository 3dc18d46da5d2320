"""The activity, for admins."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from judging.forms.people.accounts import ActivityFilterForm
from judging.models import Activity
from judging.web.paging import LongListPaginator, page_of, query_without_page
from judging.web.role_checks import SignedInRequest, admins_only

ACTIVITY_PER_PAGE = 100


@require_safe
@never_cache
@admins_only
def activity_list(request: SignedInRequest) -> HttpResponse:
    """List who did what, latest first, with a search."""
    form = ActivityFilterForm(request.GET)
    filters = form.active_filters()
    page = page_of(request, LongListPaginator(Activity.objects.matching(**filters), ACTIVITY_PER_PAGE))
    context = {"page_obj": page, "form": form, "filtered": filters, "query": query_without_page(request)}
    return render(request, "judging/people/activity_list.html", context)
