"""Pages of frozen reports: freezing tables of a study, reading a report by its link, withdrawing it."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from evenhand.refusals import Refused
from judging.models import FrozenReport
from judging.web.downloads import note_download
from judging.web.form_fields import add_problems_to_fields
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_study, visible_study_runs
from rankings.frozen.forms import FreezeForm
from rankings.frozen.report_file import content_policy
from rankings.frozen.stored_reports import freeze_study, reopen, withdraw


@require_http_methods(["GET", "HEAD", "POST"])
@researchers_only
def study_reports(request: SignedInRequest, study_id: int) -> HttpResponse:
    """List the frozen reports of a study. A POST freezes another."""
    study = visible_study(request, study_id)
    runs = list(visible_study_runs(request, study).select_related("dataset", "attribute", "judge"))
    data = request.POST if request.method == "POST" else None
    form = FreezeForm(data, study=study, runs=runs, address=request.GET)
    if form.is_valid():
        try:
            report = freeze_study(
                study, runs, form.choices(), form.chart_queries(), name=form.cleaned_data["title"], owner=request.user
            )
        except Refused as refused:
            add_problems_to_fields(form, refused.problems)
        else:
            messages.success(request, f"“{report.name}” is frozen. Its link works without an account.")
            return redirect("study-reports", study.pk)
    visible = FrozenReport.objects.visible_to(request.user)
    context = {
        "study": study,
        "query": request.GET.urlencode(),
        "form": form,
        "has_runs": bool(runs),
        "reports": visible.filter(study=study).select_related("owner").defer("html"),
        "changeable": set(FrozenReport.objects.changeable_by(request.user).values_list("pk", flat=True)),
        "origin": f"{request.scheme}://{request.get_host()}",
    }
    return render(request, "rankings/frozen/reports.html", context)


@require_safe
def frozen_report(request: SignedInRequest, key: str) -> HttpResponse:
    """Show a report to anyone with its link, exactly as it was written. It may load nothing."""
    report = open_report(key)
    response = HttpResponse(report.html)
    response["Content-Security-Policy"] = content_policy(report.html)
    response["X-Robots-Tag"] = "noindex"
    if "download" in request.GET:
        note_download(f"evenhand-report-{report.pk}.html")
        response["Content-Disposition"] = f'attachment; filename="evenhand-report-{report.pk}.html"'
    return response


@require_POST
@researchers_only
def frozen_report_link(request: SignedInRequest, key: str) -> HttpResponse:
    """Withdraw the link of a report, or open it again."""
    report = get_object_or_404(FrozenReport.objects.changeable_by(request.user), key=key)
    if "open" in request.POST:
        reopen(report)
        messages.success(request, f"The link of “{report.name}” works again.")
    else:
        withdraw(report)
        messages.success(request, f"The link of “{report.name}” is withdrawn. The report is kept.")
    return redirect("study-reports", report.study_id) if report.study_id else redirect("home")


def open_report(key: str) -> FrozenReport:
    """Return a report that is not withdrawn. Raises Http404 for any other key."""
    report = FrozenReport.objects.open().filter(key=key).first()
    if report is None:
        raise Http404("there is no report with this link, or it was withdrawn")
    return report
