"""Read environment variables. Unclear values raise ImproperlyConfigured."""

import os
import secrets
import stat
import sys
from difflib import get_close_matches
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

TRUE, FALSE = {"1", "true", "on"}, {"0", "false", "off"}
SHORTEST_SECRET_KEY = 32
_ALIKE = 0.85  # of difflib: one letter of eight may differ
_known = {"EVENHAND_CHROMIUM", "TORCH_INDEX_URL"}  # and every variable that was read


def _value_of(name: str) -> str:
    _known.add(name)
    return os.environ.get(name, "")


def known_variables() -> set[str]:
    """Return the names of all variables that the settings read."""
    return {*_known}


def warn_of_misspelt_names() -> None:
    """Name each variable on standard error that has no effect, and whose name is nearly that of a setting."""
    for name in sorted(os.environ.keys() - _known):
        if close := get_close_matches(name, _known, n=1, cutoff=_ALIKE):
            sys.stderr.write(f"evenhand: the environment variable {name} has no effect; did you mean {close[0]}?\n")


def env_text(name: str, *, default: str = "") -> str:
    return _value_of(name) or default


def env_bool(name: str, *, default: bool) -> bool:
    value = _value_of(name).lower()
    if not value:
        return default
    if value in TRUE or value in FALSE:
        return value in TRUE
    raise ImproperlyConfigured(f"{name} is {value!r}; give 1 or 0 (also true/false, on/off)")


def env_int(name: str, *, default: int, least: int = 1) -> int:
    value = _value_of(name)
    if not value:
        return default
    if value.isascii() and value.isdigit() and int(value) >= least:
        return int(value)
    raise ImproperlyConfigured(f"{name} is {value!r}; give a whole number above {least - 1}")


def env_choice(name: str, *, default: str, choices: tuple[str, ...]) -> str:
    value = _value_of(name) or default
    if value in choices:
        return value
    raise ImproperlyConfigured(f"{name} is {value!r}; give one of: {', '.join(choices)}")


def env_list(name: str, *, default: list[str], choices: tuple[str, ...] = ()) -> list[str]:
    """Return parts between commas. choices: all parts that there may be; default: any."""
    value = _value_of(name)
    parts = [part.strip() for part in value.split(",") if part.strip()] if value else default
    if choices and not set(parts) <= {*choices}:
        raise ImproperlyConfigured(f"{name} is {value!r}; give some of: {', '.join(choices)}")
    return parts


def env_limits(name: str) -> dict[str, dict[str, int]]:
    """Return NAME=REQUESTS or NAME=REQUESTS/TOKENS, separated by commas, as name -> limit by unit."""
    limits = {}
    for entry in env_list(name, default=[]):
        who, _, amounts = entry.partition("=")
        numbers = amounts.split("/")
        if not who or len(numbers) > 2 or not all(one.isascii() and one.isdigit() for one in numbers):
            raise ImproperlyConfigured(f"{name} has {entry!r}; give NAME=REQUESTS or NAME=REQUESTS/TOKENS")
        limits[who] = dict(zip(("requests", "tokens"), map(int, numbers), strict=False))
    return limits


def env_github() -> dict[str, Any]:
    """Return allauth's record of GitHub, or of a server of GitHub Enterprise."""
    client, secret = env_text("GITHUB_CLIENT"), env_text("GITHUB_SECRET")
    url = _env_site("GITHUB_URL", default="https://github.com")
    app = {"provider_id": "github", "name": "GitHub", "client_id": client, "secret": secret}
    own = {} if url == "https://github.com" else {"GITHUB_URL": url}
    return {"APPS": [app] if client else [], "OAUTH_PKCE_ENABLED": True, **own}


def _env_site(name: str, *, default: str = "") -> str:
    """Return the address of a provider, to which secrets go."""
    url = env_text(name, default=default)
    if url and urlsplit(url).scheme != "https" and urlsplit(url).hostname not in ("localhost", "127.0.0.1"):
        raise ImproperlyConfigured(f"{name} is {url!r}; give an address with https")
    return url.rstrip("/")


def env_openid(names: list[str], *, roles: tuple[str, ...]) -> list[dict[str, object]]:
    """Return allauth's record of each OpenID Connect provider. names: beginnings of its variables, such as OIDC."""
    records = []
    for name in names:
        if name == "GITHUB":
            raise ImproperlyConfigured("OIDC_PROVIDERS has GITHUB, which has a way of its own; set GITHUB_CLIENT alone")
        url, client = _env_site(f"{name}_URL"), env_text(f"{name}_CLIENT")
        secret, claim = env_text(f"{name}_SECRET"), env_text(f"{name}_ROLES", default="roles")
        title, trusted = env_text(f"{name}_NAME", default="OpenID"), env_bool(f"{name}_TRUST_EMAIL", default=False)
        named = [entry.partition("=") for entry in env_list(f"{name}_ROLE_NAMES", default=[])]
        if not url:
            continue
        if not client or {role for _, _, role in named} - {*roles}:
            raise ImproperlyConfigured(f"{name}: give {name}_CLIENT, and {name}_ROLE_NAMES as VALUE=ROLE,VALUE=ROLE")
        told: dict[str, object] = {
            "claim": claim,
            "roles": {value: role for value, _, role in named},
            "trusts_email": trusted,
        }
        record: dict[str, object] = {"provider_id": name.lower(), "name": title, "client_id": client, "secret": secret}
        records.append(record | {"settings": {"server_url": url, **told}})
    return records


def env_redis(name: str) -> str:
    value = _value_of(name)
    if not value or value.startswith(("redis://", "rediss://", "unix://")):
        return value
    raise ImproperlyConfigured(f"{name} is {value!r}; give redis://HOST:PORT/0")


def env_folder(name: str, *, default: Path) -> Path:
    """Return a folder as an absolute path. A leading `~` is the home folder."""
    return Path(_value_of(name) or default).expanduser().absolute()


def env_secret_key(data: Path, *, embedded: bool) -> str:
    """Return SECRET_KEY. With the embedded database a missing key is generated once and kept in the data folder."""
    value = _value_of("SECRET_KEY")
    if 0 < len(value) < SHORTEST_SECRET_KEY:
        raise ImproperlyConfigured(
            f"SECRET_KEY has {len(value)} characters; give a random text of at least {SHORTEST_SECRET_KEY}, such as "
            "openssl rand -hex 32 prints"
        )
    if value:
        return value
    if not embedded:
        raise ImproperlyConfigured("SECRET_KEY is empty; give a long random text, the same for every process")
    file = data / "secret-key"
    if not file.exists():
        _make_data_folder(data)
        file.touch(mode=0o600)
        file.write_text(secrets.token_urlsafe(50))
    return file.read_text().strip()


def env_database(url: str, *, embedded: Path) -> dict[str, object]:
    """Return Django's database setting for a PostgreSQL or SQLite URL. An empty URL means the embedded SQLite file."""
    if not url:
        _make_data_folder(embedded.parent)
        if not embedded.exists():
            embedded.touch(mode=0o600)
        _make_private(embedded, mode=0o600)
        return _sqlite_settings(str(embedded))
    try:
        parts = urlsplit(url)
        port = str(parts.port or "")
    except ValueError as error:
        raise ImproperlyConfigured(f"DATABASE_URL is no address: {error}") from error
    if parts.scheme == "sqlite":
        return _sqlite_settings(unquote(parts.path.removeprefix("/")) or ":memory:")
    if parts.scheme in {"postgres", "postgresql"}:
        return {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": unquote(parts.path.removeprefix("/")),
            "USER": unquote(parts.username or ""),
            "PASSWORD": unquote(parts.password or ""),
            "HOST": parts.hostname or parse_qs(parts.query).get("host", [""])[0],
            "PORT": port,
            "CONN_MAX_AGE": 60,
            "CONN_HEALTH_CHECKS": True,
            "OPTIONS": {"options": "-c jit=off"},  # compiling a query of a list takes a hundred times its own time
        }
    raise ImproperlyConfigured(f"DATABASE_URL starts with {parts.scheme!r}; give postgresql://… or sqlite:///…")


def env_cache(redis_url: str, *, folder: Path) -> dict[str, object]:
    """Return Django's setting of a cache that all processes share: in Redis, else in files. Neither holds pickles.

    Figures of a run are mostly below 50 kB; a study of 58 runs has hundreds. A lost Redis is an empty cache.
    """
    if redis_url:
        return {
            "BACKEND": "django_redis.cache.RedisCache",
            "LOCATION": redis_url,
            "KEY_PREFIX": "evenhand:cache",
            "OPTIONS": {"SERIALIZER": "django_redis.serializers.msgpack.MSGPackSerializer", "IGNORE_EXCEPTIONS": True},
        }
    return {
        "BACKEND": "evalsite.file_cache.PlainFileCache",
        "LOCATION": folder,
        "OPTIONS": {"MAX_ENTRIES": 2_000},
    }


def _make_private(path: Path, *, mode: int) -> None:
    """Let only the owner use a file or folder. Folders that all accounts share, such as /tmp, stay as they are."""
    status = path.stat()
    if status.st_uid == os.getuid() and not status.st_mode & stat.S_ISVTX and status.st_mode & 0o077:
        path.chmod(mode)


def _make_data_folder(folder: Path) -> None:
    """Make the folder of tokens, sessions and uploads, or make it private."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _make_private(folder, mode=0o700)
    except OSError as error:
        raise ImproperlyConfigured(f"EVENHAND_DATA: the folder {folder} cannot be used: {error.strerror}") from error


def _sqlite_settings(name: str) -> dict[str, object]:
    """Return settings of SQLite for one writer and many readers: write-ahead log, immediate transactions."""
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": name,
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 90,  # seconds; the rows of a dataset of 1 GB are written in one transaction
            "init_command": (
                "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA temp_store=MEMORY; "
                "PRAGMA mmap_size=134217728; PRAGMA cache_size=-20000;"
            ),
        },
    }
