"""Addresses of the HTTP API of judging."""

from django.urls import URLPattern, URLResolver, path

from judging.api import (
    accounts,
    annotation,
    campaign_progress,
    campaigns,
    comparisons,
    datasets,
    forecasts,
    judges,
    judgment_uploads,
    prompts,
    publishing,
    runs,
    studies,
    study_runs,
    tokens,
    votes,
)
from judging.api.people import accounts as managed_accounts

urlpatterns: list[URLPattern | URLResolver] = [
    path("token/", tokens.TokenView.as_view(), name="api-token"),
    path("account/", accounts.OwnAccount.as_view(), name="api-account"),
    path("account/password/", accounts.OwnPassword.as_view(), name="api-account-password"),
    path("account/token/", accounts.OwnToken.as_view(), name="api-account-token"),
    path("accounts/", managed_accounts.ManagedAccountList.as_view(), name="api-accounts"),
    path("accounts/<int:pk>/", managed_accounts.ManagedAccount.as_view(), name="api-accounts-one"),
    path("accounts/<int:pk>/link/", managed_accounts.AccountPasswordLink.as_view(), name="api-accounts-link"),
    path("accounts/<int:pk>/unlock/", managed_accounts.AccountUnlock.as_view(), name="api-accounts-unlock"),
    # Datasets
    path("datasets/", datasets.DatasetList.as_view(), name="api-dataset-list"),
    path("datasets/<int:pk>/", datasets.DatasetDetail.as_view(), name="api-dataset"),
    path("datasets/<int:pk>/contexts/", datasets.DatasetContexts.as_view(), name="api-dataset-contexts"),
    path("datasets/<int:pk>/download/", datasets.DatasetDownload.as_view(), name="api-dataset-download"),
    path("datasets/<int:pk>/package/", publishing.DatasetPackage.as_view(), name="api-dataset-package"),
    path("datasets/<int:pk>/candidates/", datasets.DatasetCandidates.as_view(), name="api-dataset-candidates"),
    path("datasets/<int:pk>/judgments/", judgment_uploads.DatasetJudgments.as_view(), name="api-dataset-judgments"),
    # Runs
    path("runs/", runs.RunList.as_view(), name="api-run-list"),
    path("runs/<int:pk>/", runs.RunDetail.as_view(), name="api-run"),
    path("runs/<int:pk>/cancel/", runs.RunCancel.as_view(), name="api-run-cancel"),
    path("runs/<int:pk>/resume/", runs.RunResume.as_view(), name="api-run-resume"),
    path("runs/<int:pk>/download/", comparisons.RunDownload.as_view(), name="api-run-download"),
    path("runs/<int:pk>/comparisons/", comparisons.RunComparisons.as_view(), name="api-run-comparisons"),
    # Studies
    path("studies/", studies.StudyList.as_view(), name="api-study-list"),
    path("studies/<int:pk>/", studies.StudyDetail.as_view(), name="api-study"),
    path("studies/<int:pk>/runs/", studies.StudyRuns.as_view(), name="api-study-runs"),
    path("studies/<int:pk>/runs/<int:run>/", studies.StudyRunEntry.as_view(), name="api-study-run"),
    path("studies/<int:pk>/cells/", study_runs.StudyCells.as_view(), name="api-study-cells"),
    path("studies/<int:pk>/estimate/", study_runs.StudyEstimates.as_view(), name="api-study-estimate"),
    path("studies/<int:pk>/start/", study_runs.StudyStart.as_view(), name="api-study-start"),
    path("studies/<int:pk>/extend/", study_runs.StudyExtend.as_view(), name="api-study-extend"),
    path("studies/<int:pk>/progress/", study_runs.StudyProgressView.as_view(), name="api-study-progress"),
    path("studies/<int:pk>/cancel/", study_runs.StudyCancel.as_view(), name="api-study-cancel"),
    path("studies/<int:pk>/resume/", study_runs.StudyResume.as_view(), name="api-study-resume"),
    # Forecasts of runs
    path("forecasts/", forecasts.ForecastList.as_view(), name="api-forecast-list"),
    path("forecasts/<int:pk>/", forecasts.ForecastDetail.as_view(), name="api-forecast"),
    # Judges, prompts, campaigns, votes
    path("judges/", judges.JudgeList.as_view(), name="api-judge-list"),
    path("judges/<int:pk>/", judges.JudgeDetail.as_view(), name="api-judge"),
    path("judges/<int:pk>/try/", judges.JudgeTry.as_view(), name="api-judge-try"),
    path("prompts/", prompts.PromptList.as_view(), name="api-prompt-list"),
    path("prompts/<int:pk>/", prompts.PromptDetail.as_view(), name="api-prompt"),
    path("prompts/example/", prompts.FilledNewPrompt.as_view(), name="api-prompt-new-example"),
    path("prompts/<int:pk>/example/", prompts.FilledPrompt.as_view(), name="api-prompt-example"),
    path("campaigns/", campaigns.CampaignList.as_view(), name="api-campaign-list"),
    path("campaigns/<int:pk>/", campaigns.CampaignDetail.as_view(), name="api-campaign"),
    path("campaigns/<int:pk>/progress/", campaign_progress.CampaignReport.as_view(), name="api-campaign-progress"),
    path("votes/", votes.VoteList.as_view(), name="api-vote-list"),
    # Annotating
    path("own-campaigns/", annotation.OwnCampaignList.as_view(), name="api-own-list"),
    path("own-campaigns/<int:pk>/", annotation.OwnCampaign.as_view(), name="api-own-campaign"),
    path("own-campaigns/<int:pk>/guidelines-read/", annotation.GuidelinesRead.as_view(), name="api-own-guidelines"),
    path("own-campaigns/<int:pk>/next-pair/", annotation.NextPair.as_view(), name="api-own-next-pair"),
    path("own-campaigns/<int:pk>/answers/", annotation.OwnAnswers.as_view(), name="api-own-answers"),
    path("own-campaigns/<int:pk>/pairs/<uuid:key>/vote/", annotation.PairVote.as_view(), name="api-own-vote"),
    path("own-campaigns/<int:pk>/pairs/<uuid:key>/skip/", annotation.PairSkip.as_view(), name="api-own-skip"),
]
