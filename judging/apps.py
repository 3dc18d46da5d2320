"""The app `judging`, and the rows that are there from the start."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class JudgingConfig(AppConfig):
    name = "judging"

    def ready(self) -> None:
        # Why a signal: docs/decisions/reference-rows.md. Why here: models are not loaded before ready().
        from judging.services.reference_rows import install_reference_rows  # noqa: PLC0415

        post_migrate.connect(install_reference_rows, sender=self, dispatch_uid="judging.reference_rows")
