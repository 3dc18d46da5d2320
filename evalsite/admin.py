"""The administration pages: for the role admin, with the same sign-in as everywhere else."""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib import admin
from django.contrib.auth.views import redirect_to_login
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse

# Roles are three fixed groups; tokens are their owner's affair.
NOT_SHOWN = {"auth.Group", "authtoken.TokenProxy"}


class EvenhandAdminSite(admin.AdminSite):
    """Open to admins; to everybody else with an account it does not exist."""

    site_header = site_title = "Evenhand administration"
    index_title = "Accounts, and a look at the tables"

    def has_permission(self, request: HttpRequest) -> bool:
        return request.user.is_authenticated and request.user.is_admin

    def login(self, request: HttpRequest, extra_context: dict[str, object] | None = None) -> HttpResponse:
        """Django sends here whoever has no permission: to the one sign-in page, unless signed in already."""
        if request.user.is_authenticated:
            raise Http404("not for this role")
        return redirect_to_login(request.GET.get("next", request.path))

    def register(
        self, model_or_iterable: type[Model] | Iterable[type[Model]], admin_class: object = None, **options: object
    ) -> None:
        models = [model_or_iterable] if isinstance(model_or_iterable, type) else list(model_or_iterable)
        shown = [model for model in models if model._meta.label not in NOT_SHOWN]
        super().register(shown, admin_class, **options)  # type: ignore[arg-type]
