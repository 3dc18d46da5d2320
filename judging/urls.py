"""Addresses of the pages of judging."""

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import URLPattern, URLResolver, path

from judging.views import accounts, datasets, judges, runs

urlpatterns: list[URLPattern | URLResolver] = [
    # Accounts
    path("account/sign-in/", LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("account/sign-out/", LogoutView.as_view(), name="logout"),
    path("account/", accounts.account, name="account"),
    path("account/password/", accounts.PasswordChange.as_view(), name="password_change"),
    path("account/token/", accounts.token_create, name="token-create"),
    path("account/token/revoke/", accounts.token_revoke, name="token-revoke"),
    # Datasets
    path("datasets/", datasets.dataset_list, name="dataset-list"),
    # Runs
    path("runs/", runs.run_list, name="run-list"),
    # Judges
    path("judges/", judges.judge_list, name="judge-list"),
]
