"""Administration: accounts and roles can be changed; all other tables are read-only."""

from __future__ import annotations

from typing import Any

from axes.utils import reset
from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminUserCreationForm, UserChangeForm
from django.contrib.auth.models import Group
from django.db.models import Model, QuerySet
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
    User,
    Vote,
)


class ReadOnlyAdmin(admin.ModelAdmin):
    """A table that can be viewed but not changed."""

    show_full_result_count = False

    def has_module_permission(self, request: HttpRequest) -> bool:
        return admin.site.has_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return admin.site.has_permission(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class RolesField(ModelMultipleChoiceField):
    """The roles as check boxes."""

    def __init__(self) -> None:
        roles = Group.objects.filter(name__in=ROLES)
        super().__init__(roles, label="Roles", required=False, widget=CheckboxSelectMultiple)


class AccountForm(UserChangeForm):
    """An account and its roles."""

    groups = RolesField()


class NewAccountForm(AdminUserCreationForm):
    """A new account and its roles."""

    groups = RolesField()


@admin.register(User)
class AccountAdmin(UserAdmin):
    """Accounts. They are deactivated, not deleted, so that runs and votes keep their owner."""

    form = AccountForm
    add_form = NewAccountForm
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

    @admin.display(description="roles")
    def role_names(self, user: User) -> str:
        names = [group.name for group in user.groups.all()]
        return ", ".join(names + ["superuser"] * user.is_superuser) or "none"

    @admin.action(description="Unlock sign-in after too many attempts", permissions=["change"])
    def unlock(self, request: HttpRequest, users: QuerySet[User]) -> None:
        for user in users:
            reset(username=user.get_username())
        messages.success(request, "Unlocked. They can sign in again.")

    def has_module_permission(self, request: HttpRequest) -> bool:
        return admin.site.has_permission(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401 - Django's signature
        return admin.site.has_permission(request)

    has_change_permission = has_view_permission

    def has_add_permission(self, request: HttpRequest) -> bool:
        return admin.site.has_permission(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ANN401 - Django's signature
        return False


@admin.register(Dataset)
class DatasetAdmin(ReadOnlyAdmin):
    list_display = ("name", "source_format", "uploaded_by", "created_at")
    list_select_related = ("uploaded_by",)
    search_fields = ("name",)


@admin.register(Attribute)
class AttributeAdmin(ReadOnlyAdmin):
    list_display = ("name", "dataset", "adjective", "minimum", "maximum")
    list_select_related = ("dataset",)
    list_filter = ("dataset",)


@admin.register(Context)
class ContextAdmin(ReadOnlyAdmin):
    list_display = ("key", "dataset", "subset", "position")
    list_select_related = ("dataset",)
    list_filter = ("dataset",)
    search_fields = ("key",)


@admin.register(Candidate)
class CandidateAdmin(ReadOnlyAdmin):
    list_display = ("key", "system", "context")
    list_select_related = ("context",)
    search_fields = ("key", "system")


@admin.register(Judge)
class JudgeAdmin(ReadOnlyAdmin):
    list_display = ("name", "backend", "model", "revision", "dtype", "device")
    search_fields = ("name", "model")


@admin.register(Prompt)
class PromptAdmin(ReadOnlyAdmin):
    list_display = ("name", "version", "method", "created_at")
    list_filter = ("method",)


@admin.register(Run)
class RunAdmin(ReadOnlyAdmin):
    list_display = ("id", "dataset", "attribute", "judge", "method", "prompt_name", "status", "owner", "created_at")
    list_select_related = ("dataset", "attribute", "judge", "owner")
    list_filter = ("status", "method", "dataset", "judge")


@admin.register(ForecastRequest)
class ForecastRequestAdmin(ReadOnlyAdmin):
    list_display = ("id", "dataset", "judge", "state", "requested_by", "requested_at")
    list_select_related = ("dataset", "judge", "requested_by")
    list_filter = ("state", "judge")


@admin.register(Comparison)
class ComparisonAdmin(ReadOnlyAdmin):
    list_display = ("id", "run", "context", "first", "second", "outcome", "p_first")
    list_select_related = ("run", "context", "first", "second")
    list_filter = ("outcome",)


@admin.register(Score)
class ScoreAdmin(ReadOnlyAdmin):
    list_display = ("id", "run", "context", "candidate", "outcome", "value")
    list_select_related = ("run", "context", "candidate")
    list_filter = ("outcome",)


@admin.register(Reasoning)
class ReasoningAdmin(ReadOnlyAdmin):
    list_display = ("id", "judge", "candidate", "second", "generated_tokens", "complete")
    list_select_related = ("judge", "candidate", "second")


@admin.register(Criteria)
class ContextMetricsAdmin(ReadOnlyAdmin):
    list_display = ("id", "judge", "context", "generated_tokens", "complete")
    list_select_related = ("judge", "context")


@admin.register(Campaign)
class CampaignAdmin(ReadOnlyAdmin):
    list_display = ("name", "dataset", "attribute", "votes_per_pair", "created_by")
    list_select_related = ("dataset", "attribute", "created_by")


@admin.register(Vote)
class VoteAdmin(ReadOnlyAdmin):
    list_display = ("id", "attribute", "context", "first", "second", "choice", "rater")
    list_select_related = ("attribute", "context", "first", "second")
    list_filter = ("choice", "attribute__dataset")
