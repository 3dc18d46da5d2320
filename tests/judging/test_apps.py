"""Checks before our tables are migrated."""

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from judging.models import Judge

pytestmark = pytest.mark.django_db


def apply_a_later_migration():
    MigrationRecorder(connection).record_applied("judging", "0002_chunk_held_out")


def rename_a_column():
    with connection.cursor() as cursor:
        cursor.execute('ALTER TABLE judging_prompt RENAME COLUMN template TO "text"')


@pytest.mark.parametrize("make_other", [apply_a_later_migration, rename_a_column])
def test_migrate_leaves_a_database_of_another_version_as_it_is(make_other):
    Judge.objects.all().delete()
    make_other()

    with pytest.raises(CommandError, match="was made by another version of Evenhand and cannot be upgraded"):
        call_command("migrate", verbosity=0)

    assert not Judge.objects.exists()


def test_migrate_accepts_an_unknown_migration_of_another_app():
    MigrationRecorder(connection).record_applied("removed_package", "0001_initial")
    Judge.objects.all().delete()

    call_command("migrate", verbosity=0)

    assert Judge.objects.exists()
