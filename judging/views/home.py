"""The home page, by role."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.views.decorators.http import require_safe

from judging.models import Campaign, Dataset, Study
from judging.services.campaigns.progress.working_session import told_progress
from judging.services.overview import overview
from judging.web.role_checks import SignedInRequest, signed_in

LATEST_ROWS = 6


@require_safe
@signed_in
def home(request: SignedInRequest) -> HttpResponse:
    """Show what runs, what is new and what waits to researchers, and open campaigns to annotators."""
    user = request.user
    context: dict[str, object] = {}
    if user.is_researcher:
        context |= {
            "datasets": Dataset.objects.visible_to(user).with_counts().order_by("-id")[:LATEST_ROWS],
            "dataset_count": Dataset.objects.visible_to(user).count(),
            "studies": Study.objects.visible_to(user).with_counts()[:LATEST_ROWS],
            "study_count": Study.objects.visible_to(user).count(),
            "overview": overview(user),
        }
    if user.is_annotator:
        own = Campaign.objects.open_to(user).archived(is_archived=False)
        context["campaigns"] = told_progress(own.with_own_progress(user), user)
    return render(request, "home.html", context)


@require_safe
def favicon(request: HttpRequest) -> HttpResponse:
    """Redirect to the icon. Browsers request this address of pages that name none."""
    return redirect(static("favicon.svg"))
