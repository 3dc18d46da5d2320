"""The app `judging`: installs reference rows, refuses a database of another version, and records commands."""

from importlib import import_module

from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_in
from django.core.management.base import CommandError
from django.db import connections
from django.db.migrations.loader import MigrationLoader
from django.db.models.signals import post_migrate, pre_migrate

from judging.management.operations.names import OPERATIONS
from judging.management.recorded_command import record_commands


class JudgingConfig(AppConfig):
    name = "judging"

    def ready(self) -> None:
        # Why signals: docs/decisions/house.md.
        pre_migrate.connect(refuse_another_version, sender=self, dispatch_uid="judging.another_version")
        post_migrate.connect(install_rows, sender=self, dispatch_uid="judging.reference_rows")
        receive_sign_ins()
        import_module("judging.web.accounts.second_factor").note_changes()
        import_module("judging.web.watching.setup")  # registers its check
        record_commands("judging.management.operation_command:OperationCommand", OPERATIONS)


def receive_sign_ins() -> None:
    """Connect our receiver under the name of Django's, which Django then leaves out."""
    from judging.web.authentication import note_sign_in  # noqa: PLC0415 - needs the models

    user_logged_in.connect(note_sign_in, dispatch_uid="update_last_login")


def install_rows(sender: AppConfig, **kwargs: object) -> None:
    """Create the reference rows. Only this needs the readers of prompts: every other command starts without them."""
    from judging.services.shipped_rows import install_reference_rows  # noqa: PLC0415

    install_reference_rows()


def refuse_another_version(sender: AppConfig, using: str, **kwargs: object) -> None:
    """Stop `migrate` if another version made the tables of this app: it has other migrations, or fewer columns.

    Django would take such a database for up to date (docs/decisions/house.md). Raises CommandError.
    """
    from judging.services.database_schema import lacking_columns  # noqa: PLC0415 - needs the models

    loader = MigrationLoader(connections[using])
    of_both = (loader.applied_migrations, loader.disk_migrations)
    applied, known = ({one for one in names if one[0] == sender.label} for names in of_both)
    models = sender.get_models(include_auto_created=True) if applied == known != set() else ()
    if applied - known or any(lacking_columns(models)):
        raise CommandError(
            f"the database {connections[using].settings_dict['NAME']} was made by another version of Evenhand and "
            "cannot be upgraded; move it away, or name a new one in DATABASE_URL"
        )
