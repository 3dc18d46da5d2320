"""Settings from environment variables."""

import stat
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection

from evalsite.environment import env_database, env_secret_key, warn_of_misspelt_names

on_postgres = pytest.mark.skipif(connection.vendor != "postgresql", reason="needs PostgreSQL")


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_embedded_database_is_readable_by_its_owner_only(tmp_path):
    database = tmp_path / "data" / "db.sqlite3"

    env_database("", embedded=database)

    assert (mode_of(database.parent), mode_of(database)) == (0o700, 0o600)


def test_embedded_database_of_an_earlier_version_becomes_private(tmp_path):
    database = tmp_path / "db.sqlite3"
    tmp_path.chmod(0o755)
    database.touch(mode=0o644)

    env_database("", embedded=database)

    assert (mode_of(tmp_path), mode_of(database)) == (0o700, 0o600)


def test_embedded_database_leaves_a_folder_alone_that_all_accounts_share(tmp_path):
    tmp_path.chmod(0o1777)

    env_database("", embedded=tmp_path / "db.sqlite3")

    assert mode_of(tmp_path) == 0o1777


def test_database_is_reached_by_network_or_by_a_socket_in_a_folder(tmp_path):
    addresses = ("postgresql://ann@here:5432/judged", "postgresql://ann@:5432/judged?host=/run/My%20Server")
    found = [env_database(url, embedded=tmp_path / "db.sqlite3") for url in addresses]

    assert [(one["HOST"], one["PORT"], one["NAME"]) for one in found] == [
        ("here", "5432", "judged"),
        ("/run/My Server", "5432", "judged"),
    ]


def test_short_secret_key_is_a_wrong_setting(tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "short")

    with pytest.raises(ImproperlyConfigured, match="SECRET_KEY has 5 characters; give a random text of at least 32"):
        env_secret_key(tmp_path, embedded=False)


def test_variable_with_nearly_the_name_of_a_setting_is_named(monkeypatch, capsys):
    monkeypatch.setenv("ALOWED_HOSTS", "evenhand.example.org")
    monkeypatch.setenv("ALLOWED_PLACES", "another program's")

    warn_of_misspelt_names()

    assert capsys.readouterr().err == (
        "evenhand: the environment variable ALOWED_HOSTS has no effect; did you mean ALLOWED_HOSTS?\n"
    )


@pytest.mark.postgres
@on_postgres
@pytest.mark.django_db
def test_site_switches_off_what_makes_lists_slow_in_postgresql():
    with connection.cursor() as cursor:
        cursor.execute("SELECT setting, source FROM pg_settings WHERE name = 'jit'")

        assert cursor.fetchone() == ("off", "client")


@pytest.mark.parametrize("read", [env_secret_key, lambda data, embedded: env_database("", embedded=data / "db")])
def test_a_data_folder_that_cannot_be_made_is_a_wrong_setting(tmp_path, monkeypatch, read):
    monkeypatch.delenv("SECRET_KEY", raising=False)
    (tmp_path / "file").touch()

    with pytest.raises(ImproperlyConfigured, match=r"EVENHAND_DATA: the folder .*file cannot be used"):
        read(tmp_path / "file", embedded=True)
