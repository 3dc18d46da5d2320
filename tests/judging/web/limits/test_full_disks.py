"""While the database takes no writes, or the disk is full, people sign in and read; what cannot be stored is said."""

import errno
import sqlite3
import tempfile
from contextlib import contextmanager
from functools import partial

import pytest
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import (
    TOTP,
    format_hotp_value,
    generate_totp_secret,
    hotp_value,
    yield_hotp_counters_from_time,
)
from django.contrib.sessions.models import Session
from django.core import signing
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import DatabaseError, connection
from django.urls import reverse

from evalsite.file_cache import PlainFileCache
from judging.models import Dataset
from judging.models.activity_and_looks import Look
from judging.services import full_disks
from judging.services.accounts.account_changes import unlock_sign_in
from judging.services.datasets.dataset_changes import split_dataset
from judging.web import sessions
from judging.web.limits import clients
from tests.factories import answer_run, make_dataset, make_run, make_user
from tests.security_key import SecurityKey

needs_postgresql = pytest.mark.skipif("connection.vendor != 'postgresql'", reason="needs PostgreSQL")
PASSWORD = {"username": "rita", "password": "a long one"}


@contextmanager
def database_without_writes():
    """Let the database of the test refuse writes, as a full one does."""
    switch = "PRAGMA query_only = {}" if connection.vendor == "sqlite" else "SET default_transaction_read_only = {}"
    connection.cursor().execute(switch.format("on"))
    try:
        yield
    finally:
        connection.cursor().execute(switch.format("off"))


@pytest.fixture
def rita(transactional_db, settings):
    settings.AXES_ENABLED = True
    clients.UNSTORED.clear()
    person = make_user("rita", "researcher")
    person.set_password(PASSWORD["password"])
    person.save()
    yield person
    clients.UNSTORED.clear()


def sign_in(client, **changed):
    return client.post(reverse("account_login"), PASSWORD | changed)


def test_people_sign_in_read_and_leave_while_nothing_can_be_stored(client, rita):
    dataset = make_dataset(name="Articles", owner=rita)
    make_dataset(name="Olaf's", owner=make_user("olaf", "researcher"))
    Dataset.objects.filter(name="Olaf's").update(visibility="private")

    with database_without_writes():
        refused, accepted = sign_in(client, password="wrong"), sign_in(client)
        listed = client.get(reverse("dataset-list")).content.decode()
        page = client.get(dataset.get_absolute_url())
        client.post(reverse("account_logout"))
        left = client.get(reverse("dataset-list"))

    assert (refused.status_code, accepted.status_code, page.status_code, left.status_code) == (200, 302, 200, 302)
    assert ("Articles" in listed, "Olaf&#x27;s" in listed) == (True, False)
    assert not Session.objects.exists()


@pytest.mark.parametrize("is_app_first", [True, False])
def test_people_sign_in_by_an_app_and_spend_no_recovery_code_while_nothing_can_be_stored(client, rita, is_app_first):
    secret, client.raise_request_exception = generate_totp_secret(), False
    for activate in [partial(TOTP.activate, secret=secret), RecoveryCodes.activate][:: 1 if is_app_first else -1]:
        activate(rita)
    recovery_code = RecoveryCodes.activate(rita).get_unused_codes()[0]
    code = format_hotp_value(hotp_value(secret, next(iter(yield_hotp_counters_from_time()))))

    with database_without_writes():
        asked = sign_in(client)
        refused = [client.post(reverse("mfa_authenticate"), {"code": one}) for one in (recovery_code, "000000")]
        before = client.get(reverse("dataset-list"))
        accepted = client.post(reverse("mfa_authenticate"), {"code": code})
        page = client.get(reverse("dataset-list"))

    assert asked.headers["Location"] == reverse("mfa_authenticate")
    assert [one.status_code for one in (*refused, before, accepted, page)] == [507, 507, 302, 302, 200]
    assert page.context["user"] == rita


def test_people_sign_in_by_a_key_and_by_a_new_challenge_alone_while_nothing_can_be_stored(client, rita):
    key, another, client.raise_request_exception = SecurityKey(rita), SecurityKey(make_user("olaf")), False

    def challenge():
        return client.get(reverse("mfa_authenticate")).context["js_data"]["request_options"]["publicKey"]["challenge"]

    def send(credential):
        return client.post(reverse("mfa_authenticate"), {"credential": credential})

    with database_without_writes():
        sign_in(client)
        old = key.answer(challenge())
        refused = [send(another.answer(challenge())), send(old), client.get(reverse("dataset-list"))]
        accepted = send(key.answer(challenge()))
        page = client.get(reverse("dataset-list"))

    assert [one.status_code for one in (*refused, accepted, page)] == [200, 200, 302, 302, 200]
    assert page.context["user"] == rita


def test_figures_of_the_test_part_are_read_while_their_look_cannot_be_stored(client, rita):
    run = answer_run(make_run(split_dataset(make_dataset(candidates=(2,) * 4, owner=rita), seed=1), owner=rita))
    client.force_login(rita)
    address = f"{reverse('run-results', args=[run.pk])}?subsets_by=part"

    with database_without_writes():
        page = client.get(address)

    assert (page.status_code, Look.objects.count()) == (200, 0)
    client.get(address)
    assert Look.objects.count() == 1


def test_session_that_travels_is_stored_at_its_next_change(client, rita):
    with database_without_writes():
        sign_in(client)

    session = client.session
    assert (session.travels, session["_auth_user_id"]) == (True, str(rita.pk))

    session["changed"] = "yes"
    session.save()

    stored = Session.objects.get()
    assert (stored.session_key, stored.get_decoded()) == (session.session_key, dict(session.items()))
    assert not session.travels


@pytest.mark.parametrize("change", ["forged", "old"])
def test_session_that_travels_is_signed_and_ends(client, rita, monkeypatch, change):
    with database_without_writes():
        sign_in(client)
    if change == "old":
        monkeypatch.setattr(sessions, "TRAVEL_SECONDS", -1)
    else:
        own = signing.dumps(dict(client.session.items()), salt="another", key="another", compress=True)
        client.cookies["sessionid"] = own

    assert client.get(reverse("dataset-list")).status_code == 302


def test_what_cannot_be_stored_is_answered_in_words(client, rita):
    client.force_login(rita)
    client.raise_request_exception = False
    line = '{"context": "c", "text": "t", "candidates": [{"candidate": "s", "system": "M", "text": "t"}]}'

    with database_without_writes():
        sent = {"files": SimpleUploadedFile("a.jsonl", line.encode()), "name": "Articles"}
        answer = client.post(reverse("api-dataset-list"), sent)
        page = client.post(reverse("token-create"), {"name": "notebook"})

    assert (answer.status_code, page.status_code) == (507, 507)
    assert answer.json() == {"detail": "the server can store nothing now: its disk is full; nothing was stored"}
    assert "The server can store nothing now: its disk is full. Nothing was saved;" in page.content.decode()
    assert not Dataset.objects.exists()


@needs_postgresql
def test_health_check_names_a_database_that_takes_no_writes(client, transactional_db):
    with database_without_writes():
        degraded = client.get("/healthz")

    assert (degraded.status_code, degraded.json()) == (
        200,
        {"status": "degraded", "database": "takes no writes: it is read-only"},
    )
    assert client.get("/healthz").json() == {"status": "ok"}


@pytest.mark.django_db
def test_health_check_names_a_full_data_folder(client, monkeypatch):
    monkeypatch.setattr(full_disks, "LEAST_SPACE", 2**60)

    answer = client.get("/healthz").json()

    assert (answer.keys(), answer["status"]) == ({"status", "data_folder"}, "degraded")


@needs_postgresql
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("code", "is_space"), [("53100", True), ("25006", True), ("53200", False)])
def test_postgresql_says_that_its_disk_is_full(code, is_space):
    with pytest.raises(DatabaseError) as refused, connection.cursor() as cursor:
        cursor.execute(f"DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '{code}'; END $$")

    assert full_disks.lacks_space(refused.value) == is_space


def test_sqlite_says_that_its_disk_is_full(tmp_path):
    database = sqlite3.connect(tmp_path / "db")
    database.execute("CREATE TABLE texts (text)")
    database.execute("PRAGMA max_page_count = 3")

    with pytest.raises(sqlite3.OperationalError) as full:
        database.execute("INSERT INTO texts VALUES (?)", ["x" * 100_000])
    with pytest.raises(sqlite3.OperationalError) as other:
        database.execute("SELECT * FROM missing")
    database.close()

    assert (full_disks.lacks_space(full.value), full_disks.lacks_space(other.value)) == (True, False)


@pytest.mark.django_db(transaction=True)
def test_other_errors_of_the_database_are_raised():
    with pytest.raises(DatabaseError), full_disks.best_effort(), connection.cursor() as cursor:
        cursor.execute("SELECT * FROM missing")


def test_cache_on_a_full_disk_forgets(tmp_path, monkeypatch):
    cache = PlainFileCache(str(tmp_path), {})
    cache.set("stored", 1)

    def refuse(**_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "mkstemp", refuse)
    cache.set("lost", 2)

    assert (cache.get("stored"), cache.get("lost")) == (1, None)


def test_wrong_passwords_lock_the_sign_in_while_nothing_can_be_stored(client, rita, settings):
    settings.AXES_FAILURE_LIMIT = 3
    make_user("olaf", "researcher")

    with database_without_writes():
        wrong = [sign_in(client, password="wrong").status_code for _ in range(3)]
        locked = sign_in(client)
        elsewhere = sign_in(client, username="olaf", password="wrong")
        from_elsewhere = client.post(reverse("account_login"), PASSWORD, REMOTE_ADDR="192.0.2.7")

    assert (wrong, locked.status_code) == ([200, 200, 429], 429)
    assert (elsewhere.status_code, from_elsewhere.status_code) == (200, 302)


def test_many_names_from_one_address_are_refused_while_nothing_can_be_stored(client, rita, monkeypatch):
    monkeypatch.setattr(clients, "TRIED_NAMES", 3)

    with database_without_writes():
        for name in ("a", "b", "c"):
            sign_in(client, username=name)

        assert sign_in(client).status_code == 429


@pytest.mark.parametrize("how", ["sign in", "unlock"])
def test_sign_in_or_unlock_clears_what_was_not_stored(client, rita, settings, how):
    settings.AXES_FAILURE_LIMIT = 3
    with database_without_writes():
        for username in ("rita", "rita", "olaf"):
            sign_in(client, username=username, password="wrong")

    sign_in(client) if how == "sign in" else unlock_sign_in(rita)

    assert [name for _, _, name in clients.UNSTORED] == ["olaf"]
    client.logout()
    assert sign_in(client, password="wrong").status_code == 200
