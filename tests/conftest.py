"""Fixtures of all tests: the real datasets, a researcher who is signed in, an empty report cache."""

import gc
import time
from pathlib import Path
from unittest.mock import patch

import pytest
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, connection, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.test import TransactionTestCase

from judging.services.demo import prepare_demo
from rankings.loading.run_answers import forget_rows
from rankings.report_cache import forget_figures
from tests.docs_site import build_docs_site
from tests.factories import make_user
from tests.stored_rows import StoredRows

SHARED = Path(__file__).resolve().parent.parent.parent / "shared"


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Collect tests without garbage collection: loading modules drops nothing, and looking costs a fifth of the time.

    The loaded modules stay out of garbage collection afterwards, and tests look for garbage less often.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(50_000, 20, 20)
        gc.enable()


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup, django_db_blocker):
    """Make the database, and let tests that commit restore the rows that are in it now."""
    with django_db_blocker.unblock():
        note_migrations()
        rows = StoredRows()
    restore, reset = lambda case: rows.restore(), staticmethod(lambda database: rows.reset_sequences())
    with patch.multiple(TransactionTestCase, _fixture_teardown=restore, _reset_sequences=reset):
        yield rows
    with django_db_blocker.unblock():
        wait_for_other_sessions()


def note_migrations() -> None:
    """Note that all migrations were applied, as a command or page that looks for them wants it."""
    recorder = MigrationRecorder(connection)
    for app, name in MigrationLoader(connection).disk_migrations:
        recorder.record_applied(app, name)


def wait_for_other_sessions() -> None:
    """Wait until no request of a page that a test has left uses the database, which is then deleted."""
    if connection.vendor != "postgresql":
        return
    others = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    deadline = time.monotonic() + 60
    with connection.cursor() as cursor:
        while cursor.execute(others).fetchone()[0] and time.monotonic() < deadline:
            time.sleep(0.05)  # a request that ends gives no sign to wait for


@pytest.fixture(scope="session")
def rows_of_the_demo(django_db_setup, django_db_blocker, tmp_path_factory) -> StoredRows:
    """Prepare the demo once, keep a copy of its rows, and remove them again."""
    with django_db_blocker.unblock():
        django_db_setup.reset_sequences()
        prepare_demo(data=tmp_path_factory.mktemp("demo"))
        rows = StoredRows("demo")
        django_db_setup.restore()
    return rows


@pytest.fixture
def demo_rows(rows_of_the_demo, transactional_db):
    """A database with the rows of the demo, numbered from 1, and nothing else."""
    rows_of_the_demo.restore()
    rows_of_the_demo.reset_sequences()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder with the real datasets and cases. Skips the test where it is missing."""
    if not (SHARED / "data").is_dir():
        pytest.skip("the real datasets are missing: no folder shared/ next to the checkout")
    return SHARED


@pytest.fixture(scope="session")
def built_docs_site(tmp_path_factory) -> Path:
    """Build the documentation once."""
    return build_docs_site(tmp_path_factory.mktemp("docs"))


@pytest.fixture
def docs_site(built_docs_site, settings) -> Path:
    """The built documentation, served at /docs/."""
    settings.DOCS_DIR = built_docs_site
    return built_docs_site


@pytest.fixture
def researcher(client):
    """Rita, who is signed in."""
    person = make_user("rita", "researcher")
    client.force_login(person)
    return person


@pytest.fixture(scope="module")
def rows_of_module(django_db_setup, django_db_blocker):
    """Keep the rows that other fixtures of the module make until it ends; each test is rolled back to them.

    Its tests share cached figures: their keys hold the times at which datasets and runs were made.
    """
    with django_db_blocker.unblock(), transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture
def forget_reports():
    """Clear the cache: reports are cached by primary keys, which start again with every test."""
    forget_figures()
    forget_rows()


@pytest.fixture
def application():
    """The WSGI application on the connection of the test, which it would close otherwise."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield get_wsgi_application()
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)
