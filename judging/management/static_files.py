"""Compress the static files before a web server starts."""

from __future__ import annotations

import os
import sys

from django.conf import settings

from judging.management.child_processes import Child

COLLECT = (sys.executable, "-m", "django", "collectstatic", "--noinput", "--verbosity", "0")


def static_variables() -> dict[str, str]:
    """Return the variables of a web server that serves compressed static files."""
    return {"STATIC_ROOT": settings.STATIC_ROOT or str(settings.DATA_DIR / "static")}


def start_compressing_static_files() -> Child | None:
    """Start to compress them, which takes seconds. Returns None if they are compressed already, as in the image."""
    if settings.STATIC_ROOT:
        return None
    return Child("static-files", COLLECT, os.environ | static_variables(), logs=settings.DATA_DIR / "logs")
