"""Administration: accounts and roles can be changed here; everything else is for looking."""

from __future__ import annotations

from django.contrib import admin

from judging.models import User

admin.site.register(User)
