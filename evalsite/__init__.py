"""The Django project: settings, URLs and the Celery app."""

__version__ = "0.1.0"
