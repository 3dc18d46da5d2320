"""Pages of frozen reports: freezing tables of a study, reading a report by its link, withdrawing it."""

from collections.abc import Mapping, Sequence

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from evenhand.refusals import Refused
from judging.models import FrozenReport, Run, Study
from judging.web.downloads import note_download
from judging.web.form_fields import add_problems_to_fields
from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_study, visible_study_runs
from rankings.frozen.report_content import TABLE_PARAMETERS, table_choice
from rankings.frozen.report_file import content_policy, freeze_study, reopen, withdraw
from rankings.studies.charts.chart_request import CHART_TABS, ChartQuery, fitting_query
from rankings.studies.charts.muted_tabs import muted_tabs
from rankings.studies.pivots.pivot_choice import PivotChoice
from rankings.studies.pivots.pivot_figures import PIVOT_FIGURES, pivot_figure
from rankings.studies.pivots.pivot_table import figure_title

FURTHER_FIGURES = ("accuracy", "accuracy_both_orders", "p_first", "order_agreement", "spearman", "kendall")
"""Figures that are offered for the same rows and columns, besides the one on the page."""


class FreezeForm(forms.Form):
    """The title of a frozen report, its tables and charts. Tables: that of the address, and others by its rows."""

    title = forms.CharField(max_length=200)
    tables = forms.MultipleChoiceField(widget=forms.CheckboxSelectMultiple)

    charts = forms.MultipleChoiceField(required=False, widget=forms.CheckboxSelectMultiple)

    def __init__(self, data: QueryDict | None, *, study: Study, runs: Sequence[Run], address: QueryDict) -> None:
        """address: the parameters of the table's page. runs: of the study, those that this person may see."""
        self.study, self.runs = study, runs
        queries = _queries(address)
        super().__init__(data, initial={"title": study.name, "tables": queries[:1]})
        first_of: dict[str, str] = {}
        for query in queries:
            first_of.setdefault(self._title(query), query)
        self.fields["tables"].choices = [(query, title) for title, query in first_of.items() if title]  # type: ignore[attr-defined]

        muted, chosen = muted_tabs(runs), {name: str(address[name]) for name in address}
        self.fields["charts"].help_text = _help_on_charts(muted)
        self.fields["charts"].choices = [  # type: ignore[attr-defined]
            (str(fitting_query(name, chosen, study, runs)), tab.title)
            for name, tab in CHART_TABS.items()
            if runs and name not in muted
        ]

    def choices(self) -> list[PivotChoice]:
        """Return the chosen tables of a valid form."""
        return [table_choice(query, self.study, self.runs) for query in self.cleaned_data["tables"]]

    def _title(self, query: str) -> str:
        """Return the title of a table; "" for one that the study does not have."""
        try:
            choice = table_choice(query, self.study, self.runs)
            choice.require_valid()
        except Refused:
            return ""
        return figure_title(pivot_figure(choice.figure), choice).rstrip(".")


def _help_on_charts(muted: Mapping[str, str]) -> str:
    """Write which settings charts have, and which tabs have nothing to draw."""
    titles: dict[str, list[str]] = {}
    for name, reason in muted.items():
        titles.setdefault(reason.rstrip("."), []).append(CHART_TABS[name].title)
    left_out = "".join(f" No {' and '.join(names)}: {reason}." for reason, names in titles.items())
    return f"Charts use the current settings of their tabs.{left_out}"


def _queries(address: QueryDict) -> list[str]:
    """Return the query of the table on the page, then those of the further figures."""
    shown = address.copy()
    for name in set(shown) - set(TABLE_PARAMETERS) | {"sort"}:
        shown.pop(name, None)
    queries = [shown.urlencode()]
    for figure in FURTHER_FIGURES:
        if figure in PIVOT_FIGURES and figure != shown.get("figure"):
            other = shown.copy()
            other["figure"] = figure
            other.pop("debias", None)
            queries.append(other.urlencode())
    return queries


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
            chosen = form.cleaned_data
            charts = [ChartQuery.parse(text) for text in chosen["charts"]]
            report = freeze_study(study, runs, form.choices(), charts, name=chosen["title"], owner=request.user)
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
