"""Addresses of the pages of rankings."""

from django.urls import URLPattern, URLResolver, path

from rankings import agreement_views, audit_views, curve_views, diagnostics_views, group_views, views

urlpatterns: list[URLPattern | URLResolver] = [
    path("datasets/<int:dataset_id>/results/", views.dataset_results, name="dataset-results"),
    path("datasets/<int:dataset_id>/agreement/", agreement_views.dataset_agreement, name="dataset-agreement"),
    path(
        "datasets/<int:dataset_id>/agreement.json",
        agreement_views.dataset_agreement_download,
        name="dataset-agreement-download",
    ),
    path("datasets/<int:dataset_id>/compare/", agreement_views.dataset_differences, name="dataset-differences"),
    path(
        "datasets/<int:dataset_id>/compare.json",
        agreement_views.dataset_differences_download,
        name="dataset-differences-download",
    ),
    path("datasets/<int:dataset_id>/groups/", group_views.dataset_groups, name="dataset-groups"),
    path("datasets/<int:dataset_id>/groups.json", group_views.dataset_groups_download, name="dataset-groups-download"),
    path("runs/<int:run_id>/results/", views.run_results, name="run-results"),
    path("datasets/<int:dataset_id>/results/report.<slug:ending>", views.dataset_report, name="dataset-report"),
    path("runs/<int:run_id>/results/report.<slug:ending>", views.run_report, name="run-report"),
    path("runs/<int:run_id>/scores/", views.run_scores, name="run-scores"),
    path("runs/<int:run_id>/scores.csv", views.run_scores_download, name="run-scores-download"),
    path("runs/<int:run_id>/diagnostics/", diagnostics_views.run_diagnostics, name="run-diagnostics"),
    path(
        "runs/<int:run_id>/diagnostics.json",
        diagnostics_views.run_diagnostics_download,
        name="run-diagnostics-download",
    ),
    path("runs/<int:run_id>/explanations/", audit_views.run_explanations, name="run-explanations"),
    path("runs/<int:run_id>/explanations/<int:place>/", audit_views.run_explanation, name="run-explanation"),
    path("runs/<int:run_id>/explanations.csv", audit_views.run_explanations_download, name="run-explanations-download"),
    path("runs/<int:run_id>/curve/", curve_views.run_curve, name="run-curve"),
]
