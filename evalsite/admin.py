"""The administration site: for the role admin, with the same sign-in as all other pages."""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib import admin
from django.contrib.auth.views import redirect_to_login
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse

# The roles are three fixed groups, and tokens are managed by their owners.
UNREGISTERED_MODELS = {"auth.Group", "authtoken.TokenProxy"}


class EvenhandAdminSite(admin.AdminSite):
    """The administration site. Signed-in users without the role admin get a 404."""

    site_header = site_title = "Evenhand administration"
    index_title = "Accounts, and a look at the tables"

    def has_permission(self, request: HttpRequest) -> bool:
        return request.user.is_authenticated and request.user.is_admin

    def login(self, request: HttpRequest, extra_context: dict[str, object] | None = None) -> HttpResponse:
        """Redirect to the sign-in page. Django calls this for everybody without permission."""
        if request.user.is_authenticated:
            raise Http404("not for this role")
        return redirect_to_login(request.GET.get("next", request.path))

    def register(
        self, model_or_iterable: type[Model] | Iterable[type[Model]], admin_class: object = None, **options: object
    ) -> None:
        models = [model_or_iterable] if isinstance(model_or_iterable, type) else list(model_or_iterable)
        registered = [model for model in models if model._meta.label not in UNREGISTERED_MODELS]
        super().register(registered, admin_class, **options)  # type: ignore[arg-type]
