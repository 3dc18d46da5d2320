"""The pages of a study with charts."""

from __future__ import annotations

from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from judging.web.role_checks import SignedInRequest, researchers_only
from judging.web.visible_rows import visible_study, visible_study_runs
from rankings.studies.charts.chart_page import chart_page
from rankings.studies.charts.chart_tabs import CHART_TABS


@require_safe
@researchers_only
def study_tab(request: SignedInRequest, study_id: int, tab: str) -> HttpResponseBase:
    """Show charts of a study with their table. tab: a name of CHART_TABS."""
    study = visible_study(request, study_id)
    form = CHART_TABS[tab].form(request.GET, study=study, runs=list(visible_study_runs(request, study)))
    return chart_page(request, form, CHART_TABS[tab].content(form) if form.runs else None)
