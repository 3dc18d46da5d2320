"""The Django project: settings, URLs, the Celery app and the administration site."""
