"""One's own sessions: the browsers that are signed in, and ending them."""

from allauth.usersessions.adapter import get_adapter
from allauth.usersessions.models import UserSession
from allauth.usersessions.views import list_usersessions
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from judging.web.role_checks import SignedInRequest, signed_in

session_list = never_cache(signed_in(list_usersessions))


@require_POST
@signed_in
def session_end(request: SignedInRequest, number: int) -> HttpResponse:
    """End another session of one's own."""
    session = get_object_or_404(
        UserSession.objects.exclude(session_key=request.session.session_key), user=request.user, pk=number
    )
    get_adapter().end_sessions([session])
    messages.success(request, "The session is ended.")
    return redirect("usersessions_list")
