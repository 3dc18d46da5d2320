"""The pages of a study with charts."""

from __future__ import annotations

from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from judging.web.role_checks import SignedInRequest, researchers_only
from rankings.studies.charts.chart_page import chart_page, visible_runs_of_study
from rankings.studies.charts.chart_tabs import CHART_TABS


@require_safe
@researchers_only
def study_tab(request: SignedInRequest, study_id: int, tab: str) -> HttpResponseBase:
    """Show charts of a study with their table. tab: a name of CHART_TABS."""
    of = visible_runs_of_study(request, study_id)
    form = CHART_TABS[tab].form(request.GET, of.study, of.runs)
    return chart_page(request, of, form, CHART_TABS[tab].content(form) if of.runs else None)
