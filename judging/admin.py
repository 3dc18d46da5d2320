"""Administration: accounts and roles can be changed; all other tables are read-only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from axes.utils import reset
from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group
from django.db.models import Field, Model, QuerySet
from django.forms import CheckboxSelectMultiple, ModelMultipleChoiceField
from django.http import HttpRequest

from judging.models import (
    ROLES,
    Attribute,
    Campaign,
    Candidate,
    Comparison,
    Context,
    Criteria,
    Dataset,
    ForecastRequest,
    Judge,
    Prompt,
    Reasoning,
    Run,
    Score,
    Study,
    User,
    Vote,
)


class VisibleToStaff(admin.ModelAdmin):
    """A table that everybody on the administration site may view. No row can be deleted there."""

    show_full_result_count = False

    def has_module_permission(self, request: HttpRequest) -> bool:
        return admin.site.has_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return admin.site.has_permission(request)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class ReadOnlyAdmin(VisibleToStaff):
    """A table that can be viewed but not changed."""

    def get_list_select_related(self, request: HttpRequest) -> list[str]:
        return [name for name in map(str, self.list_display) if self.model._meta.get_field(name).is_relation]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(User)
class AccountAdmin(VisibleToStaff, UserAdmin):
    """Accounts. They are deactivated, not deleted, so that runs and votes keep their owner."""

    list_display = ("username", "role_names", "email", "is_active", "last_login")
    list_filter = ("groups", "is_active")
    filter_horizontal = ()
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        ("Person", {"fields": ("first_name", "last_name", "email")}),
        ("Permissions", {"fields": ("is_active", "groups")}),
        ("Dates", {"fields": ("last_login", "date_joined")}),
    )
    add_fieldsets = ((None, {"classes": ("wide",), "fields": ("username", "password1", "password2", "groups")}),)
    readonly_fields = ("last_login", "date_joined")
    actions = ("unlock",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        return super().get_queryset(request).prefetch_related("groups")

    def formfield_for_dbfield(self, db_field: Field[Any, Any], request: HttpRequest, **kwargs: Any) -> Any:  # noqa: ANN401
        """Show the groups as check boxes of the roles."""
        if db_field.name != "groups":
            return super().formfield_for_dbfield(db_field, request, **kwargs)
        roles = Group.objects.filter(name__in=ROLES)
        return ModelMultipleChoiceField(roles, label="Roles", required=False, widget=CheckboxSelectMultiple)

    @admin.display(description="roles")
    def role_names(self, user: User) -> str:
        names = [group.name for group in user.groups.all()]
        return ", ".join(names + ["superuser"] * user.is_superuser) or "none"

    @admin.action(description="Unlock sign-in after too many attempts", permissions=["change"])
    def unlock(self, request: HttpRequest, users: QuerySet[User]) -> None:
        for user in users:
            reset(username=user.get_username())
        messages.success(request, "Unlocked. They can sign in again.")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return admin.site.has_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return admin.site.has_permission(request)


READ_ONLY_TABLES: dict[type[Model], dict[str, Sequence[str]]] = {
    Dataset: {"list_display": ("name", "source_format", "owner", "created_at"), "search_fields": ("name",)},
    Attribute: {
        "list_display": ("name", "dataset", "adjective", "minimum", "maximum"),
        "list_filter": ("dataset",),
    },
    Context: {
        "list_display": ("key", "dataset", "subset", "position"),
        "list_filter": ("dataset",),
        "search_fields": ("key",),
    },
    Candidate: {"list_display": ("key", "system", "context"), "search_fields": ("key", "system")},
    Judge: {
        "list_display": ("name", "backend", "model", "revision", "dtype", "device"),
        "search_fields": ("name", "model"),
    },
    Prompt: {"list_display": ("name", "version", "method", "created_at"), "list_filter": ("method",)},
    Run: {
        "list_display": (
            *("id", "dataset", "attribute", "judge", "method", "prompt_name"),
            *("status", "owner", "created_at"),
        ),
        "list_filter": ("status", "method", "dataset", "judge"),
    },
    ForecastRequest: {
        "list_display": ("id", "dataset", "judge", "state", "requested_by", "requested_at"),
        "list_filter": ("state", "judge"),
    },
    Comparison: {
        "list_display": ("id", "run", "context", "first", "second", "outcome", "p_first"),
        "list_filter": ("outcome",),
    },
    Score: {"list_display": ("id", "run", "context", "candidate", "outcome", "value"), "list_filter": ("outcome",)},
    Reasoning: {"list_display": ("id", "judge", "candidate", "second", "generated_tokens", "complete")},
    Criteria: {"list_display": ("id", "judge", "context", "generated_tokens", "complete")},
    Study: {"list_display": ("name", "owner", "created_at"), "search_fields": ("name",)},
    Campaign: {"list_display": ("name", "dataset", "attribute", "votes_per_pair", "created_by")},
    Vote: {
        "list_display": ("id", "attribute", "context", "first", "second", "choice", "rater"),
        "list_filter": ("choice", "attribute__dataset"),
    },
}
for model, options in READ_ONLY_TABLES.items():
    admin.site.register(model, ReadOnlyAdmin, **options)
