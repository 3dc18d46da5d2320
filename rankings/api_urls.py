"""Addresses of the HTTP API of rankings."""

from django.urls import URLPattern, URLResolver, path

from rankings.abstaining import api as abstaining
from rankings.analyses.api import api_view_of
from rankings.analyses.record import Analysis, analyses
from rankings.citations import api as citations
from rankings.disputes import api as disputes
from rankings.frozen import api as frozen
from rankings.juries import api as juries
from rankings.pair_answers import api as answers
from rankings.quality import api as quality
from rankings.report import api as report
from rankings.studies import api as studies


def api_address_of(analysis: Analysis) -> URLPattern:
    """Return the address of an analysis. That of two runs is below the first."""
    kind = "dataset" if analysis.of == "dataset" else "run"
    place = f"{kind}s/<int:pk>/{analysis.name}/{'<int:other>/' if analysis.two_runs else ''}"
    return path(place, api_view_of(analysis).as_view(), name=f"api-{kind}-{analysis.name}")


urlpatterns: list[URLPattern | URLResolver] = [
    path("datasets/<int:pk>/report/", report.DatasetReport.as_view(), name="api-dataset-report"),
    path("datasets/<int:pk>/quality/", quality.DatasetQuality.as_view(), name="api-dataset-quality"),
    path("datasets/<int:pk>/juries/", juries.DatasetJuries.as_view(), name="api-dataset-juries"),
    path("datasets/<int:pk>/methods/", citations.DatasetMethods.as_view(), name="api-dataset-methods"),
    path("runs/<int:pk>/methods/", citations.RunMethods.as_view(), name="api-run-methods"),
    path("runs/<int:pk>/report/", report.RunReport.as_view(), name="api-run-report"),
    path("runs/<int:pk>/answers/", answers.RunAnswers.as_view(), name="api-run-answers"),
    *(api_address_of(one) for one in analyses().values() if one.name != "abstaining"),
    path("runs/<int:pk>/abstaining/", abstaining.RunAbstaining.as_view(), name="api-run-abstaining"),
    path("campaigns/<int:pk>/disputes/", disputes.CampaignDisputes.as_view(), name="api-campaign-disputes"),
    path("studies/<int:pk>/table/", studies.StudyTableView.as_view(), name="api-study-table"),
    path("studies/<int:pk>/reports/", frozen.StudyReports.as_view(), name="api-study-reports"),
    path("reports/<str:key>/", frozen.FrozenReportDetail.as_view(), name="api-frozen-report"),
]
