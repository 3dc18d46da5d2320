"""Compress the static files before a web server starts."""

import os
import socket
import sys

from django.conf import settings

from judging.management.child_processes import Child

COLLECT = (sys.executable, "-m", "django", "collectstatic", "--noinput", "--verbosity", "0")


def static_variables(port: int) -> dict[str, str]:
    """Return the variables of a web server that serves compressed static files.

    Each server has its own folder, because another one would miss files while they are written again.
    """
    own = settings.DATA_DIR / "static" / f"{socket.gethostname()}-{port}"
    return {"STATIC_ROOT": settings.STATIC_ROOT or str(own)}


def start_compressing_static_files(port: int) -> Child | None:
    """Start to compress them, which takes seconds. Returns None if they are compressed already, as in the image."""
    if settings.STATIC_ROOT:
        return None
    return Child("static-files", COLLECT, os.environ | static_variables(port), logs=settings.DATA_DIR / "logs")
