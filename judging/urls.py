"""Addresses of the pages of judging."""

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import URLPattern, URLResolver, path, register_converter

from judging.views import (
    accounts,
    campaigns,
    comparisons,
    datasets,
    forecasts,
    home,
    judges,
    judgments,
    mappings,
    new_run,
    new_study,
    prompts,
    publishing,
    runs,
    studies,
    study_changes,
    uploads,
    votes,
)
from judging.views.people import managed_accounts, password_links
from judging.web.number_lists import NumberListConverter

register_converter(NumberListConverter, "numbers")

urlpatterns: list[URLPattern | URLResolver] = [
    path("", home.home, name="home"),
    path("favicon.ico", home.favicon, name="favicon"),
    path("healthz", home.healthz, name="healthz"),
    # Accounts
    path("account/sign-in/", LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("account/sign-out/", LogoutView.as_view(), name="logout"),
    path("account/", accounts.account, name="account"),
    path("account/password/", accounts.PasswordChange.as_view(), name="password_change"),
    path("account/token/", accounts.token_create, name="token-create"),
    path("account/token/revoke/", accounts.token_revoke, name="token-revoke"),
    path("account/choose/<str:uidb64>/<str:token>/", password_links.PasswordChoice.as_view(), name="password-choose"),
    # Accounts, for admins
    path("accounts/", managed_accounts.account_list, name="account-list"),
    path("accounts/new/", managed_accounts.account_new, name="account-new"),
    path("accounts/<int:account_id>/", managed_accounts.account_detail, name="account-detail"),
    path("accounts/<int:account_id>/roles/", managed_accounts.account_roles, name="account-roles"),
    path("accounts/<int:account_id>/link/", managed_accounts.account_link, name="account-link"),
    path("accounts/<int:account_id>/unlock/", managed_accounts.account_unlock, name="account-unlock"),
    path("accounts/<int:account_id>/deactivate/", managed_accounts.account_deactivate, name="account-deactivate"),
    path("accounts/<int:account_id>/restore/", managed_accounts.account_restore, name="account-restore"),
    # Datasets
    path("datasets/", datasets.dataset_list, name="dataset-list"),
    path("datasets/upload/", uploads.dataset_upload, name="dataset-upload"),
    path("datasets/upload/<slug:upload_name>/", uploads.dataset_preview, name="dataset-preview"),
    path("datasets/upload/<slug:upload_name>/columns/", mappings.dataset_mapping, name="dataset-mapping"),
    path("datasets/upload/<slug:upload_name>/discard/", uploads.upload_discard, name="upload-discard"),
    path("datasets/<int:dataset_id>/", datasets.dataset_detail, name="dataset"),
    path("datasets/<int:dataset_id>/download/", datasets.dataset_download, name="dataset-download"),
    path("datasets/<int:dataset_id>/sharing/", datasets.dataset_sharing, name="dataset-sharing"),
    path("datasets/<int:dataset_id>/discard/", datasets.dataset_discard, name="dataset-discard"),
    path("datasets/<int:dataset_id>/publish/", publishing.dataset_publish, name="dataset-publish"),
    path("datasets/<int:dataset_id>/new-run/", new_run.run_new, name="run-new"),
    path("datasets/<int:dataset_id>/judgments/", judgments.judgments_new, name="judgments-new"),
    path(
        "datasets/<int:dataset_id>/judgments/<slug:upload_name>/", judgments.judgments_review, name="judgments-review"
    ),
    path("contexts/<int:context_id>/", datasets.context_detail, name="context"),
    # Runs
    path("forecasts/<numbers:request_ids>/", forecasts.forecast_progress, name="forecast"),
    path("runs/", runs.run_list, name="run-list"),
    path("runs/<int:run_id>/", runs.run_detail, name="run"),
    path("runs/<int:run_id>/progress/", runs.run_progress, name="run-progress"),
    path("runs/<int:run_id>/cancel/", runs.run_cancel, name="run-cancel"),
    path("runs/<int:run_id>/resume/", runs.run_resume, name="run-resume"),
    path("runs/<int:run_id>/comparisons/", comparisons.run_comparisons, name="run-comparisons"),
    path("runs/<int:run_id>/comparisons.csv", comparisons.run_download, {"ending": "csv"}, name="run-csv"),
    path("runs/<int:run_id>/comparisons.jsonl", comparisons.run_download, {"ending": "jsonl"}, name="run-jsonl"),
    # Studies
    path("studies/", studies.study_list, name="study-list"),
    path("studies/new/", new_study.study_new, name="study-new"),
    path("studies/new/cells/", new_study.study_cells, name="study-cells"),
    path("studies/new/collected/", study_changes.study_create_from_runs, name="study-create-collected"),
    path("studies/<int:study_id>/runs/", studies.study_runs, name="study-runs"),
    path("studies/<int:study_id>/runs/progress/", studies.study_progress_part, name="study-progress"),
    path("studies/<int:study_id>/runs/collect/", study_changes.study_collect, name="study-collect"),
    path("studies/<int:study_id>/runs/<int:run_id>/remove/", study_changes.study_remove_run, name="study-remove-run"),
    path("studies/<int:study_id>/estimate/", studies.study_estimate, name="study-estimate"),
    path("studies/<int:study_id>/start/", studies.study_start, name="study-start"),
    path("studies/<int:study_id>/cancel/", studies.study_cancel, name="study-cancel"),
    path("studies/<int:study_id>/resume/", studies.study_resume, name="study-resume"),
    path("studies/<int:study_id>/extend/", new_study.study_extend, name="study-extend"),
    path("studies/<int:study_id>/extend/cells/", new_study.study_extend_cells, name="study-extend-cells"),
    path("studies/<int:study_id>/edit/", study_changes.study_edit, name="study-edit"),
    path("studies/<int:study_id>/delete/", study_changes.study_delete, name="study-delete"),
    # Judges
    path("judges/", judges.judge_list, name="judge-list"),
    path("judges/new/", judges.judge_new, name="judge-new"),
    path("judges/<int:judge_id>/", judges.judge_detail, name="judge"),
    path("judges/<int:judge_id>/try/", judges.judge_try, name="judge-try"),
    path("judges/<int:judge_id>/change/", judges.judge_change, name="judge-change"),
    # Prompts
    path("prompts/", prompts.prompt_list, name="prompt-list"),
    path("prompts/new/", prompts.prompt_new, name="prompt-new"),
    path("prompts/<int:prompt_id>/", prompts.prompt_detail, name="prompt"),
    path("prompts/<int:prompt_id>/new-version/", prompts.prompt_version, name="prompt-version"),
    # Campaigns, for researchers
    path("campaigns/", campaigns.campaign_list, name="campaign-list"),
    path("campaigns/new/", campaigns.campaign_new, name="campaign-new"),
    path("campaigns/<int:campaign_id>/", campaigns.campaign_detail, name="campaign"),
    path("campaigns/<int:campaign_id>/edit/", campaigns.campaign_edit, name="campaign-edit"),
    path("campaigns/<int:campaign_id>/discard/", campaigns.campaign_discard, name="campaign-discard"),
    path("campaigns/<int:campaign_id>/download/", campaigns.campaign_download, name="campaign-download"),
    # Votes, for annotators
    path("campaigns/<int:campaign_id>/guidelines/", votes.guidelines, name="guidelines"),
    path("campaigns/<int:campaign_id>/annotate/", votes.annotate, name="annotate"),
    path("campaigns/<int:campaign_id>/annotate/vote/", votes.vote_record, name="vote-record"),
    path("campaigns/<int:campaign_id>/annotate/skip/", votes.pair_skip, name="pair-skip"),
    path("campaigns/<int:campaign_id>/annotate/reopen/", votes.pair_reopen, name="pair-reopen"),
    path("campaigns/<int:campaign_id>/annotate/break/", votes.break_dismiss, name="break-dismiss"),
    path("campaigns/<int:campaign_id>/annotate/time/", votes.visible_time, name="visible-time"),
    path("campaigns/<int:campaign_id>/votes/", votes.vote_list, name="vote-list"),
    path("campaigns/<int:campaign_id>/votes/<uuid:key>/", votes.vote_change, name="vote-change"),
    path("account/single-keys/", votes.single_keys, name="single-keys"),
]
