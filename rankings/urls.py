"""Addresses of the pages of rankings."""

from collections.abc import Iterator
from itertools import chain

from django.urls import URLPattern, URLResolver, path

from rankings.abstaining import views as abstaining
from rankings.analyses.record import Analysis, analyses
from rankings.analyses.views import analysis_file, analysis_long, analysis_page
from rankings.audits import views as audits
from rankings.citations import views as citations
from rankings.compare.place_of_run import run_place
from rankings.dataset_figures import views as datasets
from rankings.disputes import views as disputes
from rankings.frozen import views as frozen
from rankings.juries import views as juries
from rankings.pair_answers import views as answers
from rankings.quality import views as quality
from rankings.report import views as report
from rankings.steering import views as steering
from rankings.studies import choosing_runs
from rankings.studies import views as studies
from rankings.studies.charts import chart_page
from rankings.studies.charts.chart_request import CHART_TABS


def addresses_of(analysis: Analysis) -> Iterator[URLPattern]:
    """Yield the addresses of an analysis: its page, its long form and its file."""
    kind, known = analysis.row, {"name": analysis.name}
    begin, name = f"{kind}s/<int:{kind}_id>/{analysis.name}", f"{kind}-{analysis.name}"
    yield path(f"{begin}/", analysis_page, known, name=name)
    if analysis.long_form:
        yield path(f"{begin}/long.<slug:ending>", analysis_long, known, name=f"{name}-long")
    if analysis.file:
        yield path(f"{begin}.{analysis.file.ending}", analysis_file, known, name=f"{name}-download")


urlpatterns: list[URLPattern | URLResolver] = [
    path(
        "datasets/<int:dataset_id>/human-judgments/", datasets.dataset_human_judgments, name="dataset-human-judgments"
    ),
    path("campaigns/<int:campaign_id>/disputed/", disputes.campaign_disputes, name="campaign-disputes"),
    path("campaigns/<int:campaign_id>/disputed/decide/", disputes.campaign_decide, name="campaign-decide"),
    path("campaigns/<int:campaign_id>/decisions.csv", disputes.decisions_download, name="campaign-decisions"),
    path("campaigns/<int:campaign_id>/disputed/again/", disputes.campaign_second_round, name="campaign-second-round"),
    path("contexts/<int:context_id>/answers/", datasets.context_answers, name="context-answers"),
    path("datasets/<int:dataset_id>/results/", report.dataset_results, name="dataset-results"),
    path("datasets/<int:dataset_id>/quality/", quality.dataset_quality, name="dataset-quality"),
    path("datasets/<int:dataset_id>/juries/", juries.dataset_juries, name="dataset-juries"),
    path("runs/<int:run_id>/results/", report.run_results, name="run-results"),
    path("datasets/<int:dataset_id>/results/report.<slug:ending>", report.dataset_report, name="dataset-report"),
    path("runs/<int:run_id>/results/report.<slug:ending>", report.run_report, name="run-report"),
    path("datasets/<int:dataset_id>/results/long.<slug:ending>", report.dataset_long, name="dataset-report-long"),
    path("runs/<int:run_id>/results/long.<slug:ending>", report.run_long, name="run-report-long"),
    path("datasets/<int:dataset_id>/results/table/", report.dataset_table, name="dataset-table"),
    path("datasets/<int:dataset_id>/results/methods/", citations.dataset_methods, name="dataset-methods"),
    path("runs/<int:run_id>/results/methods/", citations.run_methods, name="run-methods"),
    path("runs/<int:run_id>/results/table/", report.run_table, name="run-table"),
    path("runs/<int:run_id>/results/headline/", report.run_headline, name="run-headline"),
    path("runs/<int:run_id>/results/p-first/", report.run_first_probabilities, name="run-first-probabilities"),
    path("runs/<int:run_id>/results/headline-link/", report.run_headline_link, name="run-headline-link"),
    path("runs/<int:run_id>/results/place/", run_place, name="run-place"),
    path("runs/<int:run_id>/answers/", answers.run_answers, name="run-answers"),
    path("runs/<int:run_id>/answers.<slug:ending>", answers.run_answers_download, name="run-answers-download"),
    path("runs/<int:run_id>/abstaining/campaign/", abstaining.run_doubtful_campaign, name="run-doubtful-campaign"),
    path("runs/<int:run_id>/explanations/", audits.run_explanations, name="run-explanations"),
    path("runs/<int:run_id>/explanations/<int:place>/", audits.run_explanation, name="run-explanation"),
    path(
        "runs/<int:run_id>/explanations/long.<slug:ending>",
        audits.run_explanations_long,
        name="run-explanations-long",
    ),
    path("runs/<int:run_id>/explanations.csv", audits.run_explanations_download, name="run-explanations-download"),
    path("runs/<int:run_id>/robustness/", steering.run_robustness, name="run-robustness"),
    *chain.from_iterable(map(addresses_of, analyses().values())),
    path("studies/new/", choosing_runs.study_new, name="study-new"),
    path("studies/<int:study_id>/", studies.study_pivot, name="study"),
    path("studies/<int:study_id>/runs/collect/", choosing_runs.study_collect, name="study-collect"),
    path("studies/<int:study_id>/table.<slug:ending>", studies.study_table_file, name="study-table-file"),
    *(
        path(f"studies/<int:study_id>/{tab}/", chart_page.study_tab, {"tab": tab}, name=f"study-{tab}")
        for tab in CHART_TABS
    ),
    path("studies/<int:study_id>/reports/", frozen.study_reports, name="study-reports"),
    path("reports/<str:key>/", frozen.frozen_report, name="frozen-report"),
    path("reports/<str:key>/link/", frozen.frozen_report_link, name="frozen-report-link"),
]
