"""The building: settings, addresses, the task queue."""

from evalsite.celery import app as celery_app

__all__ = ["celery_app"]
