"""A database that another version made is named before it does harm."""

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from judging.management.commands import serve
from judging.management.commands.worker import Command
from judging.services.database_schema import NO_TABLES, schema_problems
from judging.web.watching.readiness import lasting_schema_problems
from tests.servers import free_port

pytestmark = pytest.mark.django_db


@pytest.fixture
def change():
    """Return a function that changes the schema until the end of the test."""
    lasting_schema_problems.cache_clear()
    with connection.cursor() as cursor:
        yield cursor.execute


def test_database_of_this_program_fits():
    assert schema_problems() == []


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        (
            'ALTER TABLE judging_prompt RENAME COLUMN template TO "text"',
            "the table judging_prompt lacks template: another version made this database",
        ),
        (
            "ALTER TABLE judging_vote RENAME TO judging_label",
            "the table judging_vote is missing: another version made this database",
        ),
        (
            "DELETE FROM django_migrations WHERE app = 'sessions'",
            "1 migrations are missing, from sessions.0001_initial on; run the command migrate",
        ),
        ("DELETE FROM django_migrations", NO_TABLES),
    ],
)
def test_database_of_another_version_is_refused_by_worker_and_health_check(client, change, statement, problem):
    change(statement)

    answer = client.get("/healthz")

    assert schema_problems() == [problem]
    assert (answer.status_code, answer.json()) == (503, {"status": "failed", "schema": [problem]})
    with pytest.raises(CommandError, match=problem):
        Command().run({"queues": "default", "gpu": None})


@pytest.mark.parametrize(
    ("column", "problem"),
    [
        ("judging_prompt RENAME COLUMN template", "was made by another version of Evenhand and cannot be upgraded"),
        ("axes_accesslog RENAME COLUMN username", "the table axes_accesslog lacks username: another version made"),
    ],
)
def test_web_server_refuses_to_start_on_a_database_of_another_version(change, monkeypatch, column, problem):
    monkeypatch.setattr(serve, "web_server", None)  # it would take the place of this process
    change(f'ALTER TABLE {column} TO "other"')

    with pytest.raises(CommandError, match=problem):
        call_command("serve", "--port", str(free_port()))


def test_health_check_looks_again_until_the_database_fits(client, change):
    change("ALTER TABLE judging_vote RENAME TO judging_label")
    assert client.get("/healthz").status_code == 503

    change("ALTER TABLE judging_label RENAME TO judging_vote")

    assert client.get("/healthz").json() == {"status": "ok"}
