"""The page where a person chooses a password, by a link from an admin."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.views import PasswordResetConfirmView
from django.http import HttpResponse
from django.urls import reverse_lazy

from judging.forms.people.own_account import PasswordChoiceForm
from judging.models import User


class PasswordChoice(PasswordResetConfirmView):
    """Lets the owner of an account choose a password and signs them in. A used or old link gets a plain page."""

    form_class = PasswordChoiceForm
    template_name = "judging/people/password_choose.html"
    success_url = reverse_lazy("home")
    post_reset_login = True
    post_reset_login_backend = "django.contrib.auth.backends.ModelBackend"

    def get_user(self, uidb64: str) -> User | None:
        """Return the owner of a link, unless the account is not active."""
        user = super().get_user(uidb64)
        return user if isinstance(user, User) and user.is_active else None

    def form_valid(self, form):  # noqa: ANN001, ANN201 - Django's generic signature
        messages.success(self.request, "Your password is saved, and you are signed in.")
        return super().form_valid(form)

    def render_to_response(self, context: dict[str, object], **options: object) -> HttpResponse:
        """Answer 410 for a link that no longer works."""
        status = 200 if context["validlink"] else 410
        return super().render_to_response(context, status=status, **options)
