"""Addresses of the HTTP API of judging."""

from django.urls import URLPattern, URLResolver, path

from judging.api import (
    accounts,
    comparisons,
    datasets,
    deletions,
    judges,
    prompts,
    runs,
    studies,
    uploads,
)
from judging.api.labelling import annotation, campaigns, own_votes_and_ratings, votes_and_exclusions
from judging.api.people import accounts as managed_accounts
from judging.api.people import campaign_checks, invitations, own_part
from judging.web.limits.clients import few_at_once

urlpatterns: list[URLPattern | URLResolver] = [
    path("token/", few_at_once(accounts.TokenView.as_view()), name="api-token"),
    path("account/", accounts.OwnAccount.as_view(), name="api-account"),
    path("account/token/", accounts.OwnTokensEnd.as_view(), name="api-account-token"),
    path("account/tokens/", accounts.OwnTokens.as_view(), name="api-account-tokens"),
    path("account/tokens/<slug:beginning>/", accounts.OwnTokenEnd.as_view(), name="api-account-tokens-one"),
    path("activity/", managed_accounts.ActivityList.as_view(), name="api-activity"),
    path("accounts/", managed_accounts.ManagedAccountList.as_view(), name="api-accounts"),
    path("accounts/<int:pk>/", managed_accounts.ManagedAccount.as_view(), name="api-accounts-one"),
    path("accounts/<int:pk>/link/", managed_accounts.AccountPasswordLink.as_view(), name="api-accounts-link"),
    path("accounts/<int:pk>/unlock/", managed_accounts.AccountUnlock.as_view(), name="api-accounts-unlock"),
    path("accounts/<int:pk>/deletion/", deletions.AccountDeletion.as_view(), name="api-accounts-deletion"),
    # Datasets
    path("datasets/", datasets.DatasetList.as_view(), name="api-dataset-list"),
    path("datasets/<int:pk>/", datasets.DatasetDetail.as_view(), name="api-dataset"),
    path("datasets/<int:pk>/deletion/", deletions.RowDeletion.as_view(noun="dataset"), name="api-dataset-deletion"),
    path("datasets/<int:pk>/split/", datasets.DatasetSplit.as_view(), name="api-dataset-split"),
    path("datasets/<int:pk>/contexts/", datasets.DatasetContexts.as_view(), name="api-dataset-contexts"),
    path("datasets/<int:pk>/download/", datasets.DatasetDownload.as_view(), name="api-dataset-download"),
    path("datasets/<int:pk>/package/", datasets.DatasetPackage.as_view(), name="api-dataset-package"),
    path("datasets/<int:pk>/candidates/", datasets.DatasetCandidates.as_view(), name="api-dataset-candidates"),
    path("datasets/<int:pk>/judgments/", uploads.DatasetJudgments.as_view(), name="api-dataset-judgments"),
    # Runs
    path("workers/", runs.Workers.as_view(), name="api-workers"),
    path("runs/", runs.RunList.as_view(), name="api-run-list"),
    path("runs/<int:pk>/", runs.RunDetail.as_view(), name="api-run"),
    path("runs/<int:pk>/cancel/", runs.RunCancel.as_view(), name="api-run-cancel"),
    path("runs/<int:pk>/deletion/", deletions.RowDeletion.as_view(noun="run"), name="api-run-deletion"),
    path("runs/<int:pk>/with-sentence/", runs.RunWithSentence.as_view(), name="api-run-with-sentence"),
    path("runs/<int:pk>/resume/", runs.RunResume.as_view(), name="api-run-resume"),
    path("runs/<int:pk>/download/", comparisons.RunDownload.as_view(), name="api-run-download"),
    path("runs/<int:pk>/comparisons/", comparisons.RunComparisons.as_view(), name="api-run-comparisons"),
    # Studies
    path("studies/", studies.StudyList.as_view(), name="api-study-list"),
    path("studies/<int:pk>/", studies.StudyDetail.as_view(), name="api-study"),
    path("studies/<int:pk>/runs/", studies.StudyRuns.as_view(), name="api-study-runs"),
    path("studies/<int:pk>/runs/<int:run>/", studies.StudyRunEntry.as_view(), name="api-study-run"),
    # Judges, prompts, campaigns, votes
    path("judges/", judges.JudgeList.as_view(), name="api-judge-list"),
    path("judges/<int:pk>/", judges.JudgeDetail.as_view(), name="api-judge"),
    path("judges/<int:pk>/deletion/", deletions.RowDeletion.as_view(noun="judge"), name="api-judge-deletion"),
    path("prompts/", prompts.PromptList.as_view(), name="api-prompt-list"),
    path("prompts/<int:pk>/", prompts.PromptDetail.as_view(), name="api-prompt"),
    path("campaigns/", campaigns.CampaignList.as_view(), name="api-campaign-list"),
    path("campaigns/<int:pk>/", campaigns.CampaignDetail.as_view(), name="api-campaign"),
    path("campaigns/<int:pk>/copy/", campaigns.CampaignCopy.as_view(), name="api-campaign-copy"),
    path("campaigns/<int:pk>/checks/", campaign_checks.CampaignChecksView.as_view(), name="api-campaign-checks"),
    path("campaigns/<int:pk>/gold-pairs/", campaign_checks.GoldPairs.as_view(), name="api-campaign-gold-pairs"),
    path("campaigns/<int:pk>/training-pairs/", campaign_checks.TrainingPairs.as_view(), name="api-campaign-training"),
    path("campaigns/<int:pk>/progress/", campaigns.ProgressReport.as_view(), name="api-campaign-progress"),
    path("campaigns/<int:pk>/consent/", invitations.CampaignConsent.as_view(), name="api-campaign-consent"),
    path("campaigns/<int:pk>/people/", invitations.CampaignPeople.as_view(), name="api-campaign-people"),
    path("campaigns/<int:pk>/decisions/", campaign_checks.CampaignDecisions.as_view(), name="api-campaign-decisions"),
    path("campaigns/<int:pk>/people/stop/", invitations.CampaignPersonStopped.as_view(), name="api-campaign-stop"),
    path(
        "campaigns/<int:pk>/people/message/", invitations.CampaignPeopleMessaged.as_view(), name="api-campaign-message"
    ),
    path("campaigns/<int:pk>/people/pay/", invitations.CampaignPeopleToPay.as_view(), name="api-campaign-pay"),
    path(
        "campaigns/<int:pk>/people/identify/", invitations.CampaignPersonBehind.as_view(), name="api-campaign-identify"
    ),
    path(
        "campaigns/<int:pk>/people/<int:enrolment>/",
        invitations.CampaignPersonDetail.as_view(),
        name="api-campaign-person",
    ),
    path("campaigns/<int:pk>/people/upload/", invitations.PeopleUpload.as_view(), name="api-campaign-people-upload"),
    path("campaigns/<int:pk>/invitations/", invitations.InvitationList.as_view(), name="api-campaign-invitations"),
    path(
        "campaigns/<int:pk>/invitations/<int:invitation>/",
        invitations.InvitationDetail.as_view(),
        name="api-campaign-invitation",
    ),
    path(
        "datasets/<int:pk>/vote-exclusions/",
        votes_and_exclusions.DatasetVoteExclusions.as_view(),
        name="api-dataset-vote-exclusions",
    ),
    path("vote-exclusions/<int:pk>/", votes_and_exclusions.VoteExclusionDetail.as_view(), name="api-exclusion"),
    path("votes/", votes_and_exclusions.VoteList.as_view(), name="api-vote-list"),
    path("datasets/<int:pk>/votes/", votes_and_exclusions.DatasetVotes.as_view(), name="api-dataset-votes"),
    # Annotating
    path("join/<str:code>/", invitations.Joining.as_view(), name="api-join"),
    path("own-campaigns/<int:pk>/consent/", own_part.OwnConsent.as_view(), name="api-own-consent"),
    path("own-campaigns/<int:pk>/completion/", own_part.OwnCompletion.as_view(), name="api-own-completion"),
    path("own-campaigns/<int:pk>/training/", own_part.OwnTraining.as_view(), name="api-own-training"),
    path("own-campaigns/", annotation.OwnCampaignList.as_view(), name="api-own-list"),
    path("own-campaigns/<int:pk>/", annotation.OwnCampaign.as_view(), name="api-own-campaign"),
    path("own-campaigns/<int:pk>/guidelines-read/", annotation.GuidelinesRead.as_view(), name="api-own-guidelines"),
    path("own-campaigns/<int:pk>/next-pair/", annotation.NextPair.as_view(), name="api-own-next-pair"),
    path("own-campaigns/<int:pk>/answers/", annotation.OwnAnswers.as_view(), name="api-own-answers"),
    path(
        "own-campaigns/<int:pk>/pairs/<uuid:key>/vote/", own_votes_and_ratings.PairVote.as_view(), name="api-own-vote"
    ),
    path(
        "own-campaigns/<int:pk>/pairs/<uuid:key>/rating/",
        own_votes_and_ratings.TextRating.as_view(),
        name="api-own-rating",
    ),
    path(
        "own-campaigns/<int:pk>/pairs/<uuid:key>/skip/", own_votes_and_ratings.PairSkip.as_view(), name="api-own-skip"
    ),
]
