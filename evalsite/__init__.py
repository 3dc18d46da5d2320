"""The Django project: settings, URLs, the Celery app and the administration site."""

__version__ = "0.1.0"
