"""Addresses of the HTTP API."""

from django.urls import URLPattern, URLResolver, path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from judging.api import comparisons, datasets, forecasts, judges, prompts, runs, tokens, votes
from rankings import agreement_api as agreement
from rankings import api as rankings
from rankings import audit_api as audits
from rankings import diagnostics_api as diagnostics

urlpatterns: list[URLPattern | URLResolver] = [
    path("token/", tokens.TokenView.as_view(), name="api-token"),
    path("schema/", SpectacularAPIView.as_view(), name="api-schema"),
    path(
        "docs/",
        SpectacularSwaggerSplitView.as_view(url_name="api-schema", template_name="api/docs.html"),
        name="api-docs",
    ),
    # Datasets
    path("datasets/", datasets.DatasetList.as_view(), name="api-dataset-list"),
    path("datasets/<int:pk>/", datasets.DatasetDetail.as_view(), name="api-dataset"),
    path("datasets/<int:pk>/contexts/", datasets.DatasetContexts.as_view(), name="api-dataset-contexts"),
    path("datasets/<int:pk>/candidates/", datasets.DatasetCandidates.as_view(), name="api-dataset-candidates"),
    path("datasets/<int:pk>/report/", rankings.DatasetReport.as_view(), name="api-dataset-report"),
    path("datasets/<int:pk>/agreement/", agreement.DatasetAgreement.as_view(), name="api-dataset-agreement"),
    path("datasets/<int:pk>/groups/", agreement.DatasetGroups.as_view(), name="api-dataset-groups"),
    # Runs
    path("runs/", runs.RunList.as_view(), name="api-run-list"),
    path("runs/<int:pk>/", runs.RunDetail.as_view(), name="api-run"),
    path("runs/<int:pk>/cancel/", runs.RunCancel.as_view(), name="api-run-cancel"),
    path("runs/<int:pk>/resume/", runs.RunResume.as_view(), name="api-run-resume"),
    path("runs/<int:pk>/comparisons/", comparisons.RunComparisons.as_view(), name="api-run-comparisons"),
    path("runs/<int:pk>/report/", rankings.RunReport.as_view(), name="api-run-report"),
    path("runs/<int:pk>/scores/", rankings.RunScores.as_view(), name="api-run-scores"),
    path("runs/<int:pk>/curve/", rankings.RunCurve.as_view(), name="api-run-curve"),
    path("runs/<int:pk>/diagnostics/", diagnostics.RunDiagnostics.as_view(), name="api-run-diagnostics"),
    path("runs/<int:pk>/audit/", audits.RunAudit.as_view(), name="api-run-audit"),
    path("runs/<int:pk>/compare/<int:other>/", agreement.RunDifferences.as_view(), name="api-run-compare"),
    # Forecasts of runs
    path("forecasts/", forecasts.ForecastList.as_view(), name="api-forecast-list"),
    path("forecasts/<int:pk>/", forecasts.ForecastDetail.as_view(), name="api-forecast"),
    # Judges, prompts, votes
    path("judges/", judges.JudgeList.as_view(), name="api-judge-list"),
    path("judges/<int:pk>/", judges.JudgeDetail.as_view(), name="api-judge"),
    path("prompts/", prompts.PromptList.as_view(), name="api-prompt-list"),
    path("prompts/<int:pk>/", prompts.PromptDetail.as_view(), name="api-prompt"),
    path("votes/", votes.VoteList.as_view(), name="api-vote-list"),
]
