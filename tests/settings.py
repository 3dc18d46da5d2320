"""Settings of the tests: those of evalsite, with fast password hashes and their own secret key."""

import os
import tempfile
from pathlib import Path

os.environ.setdefault("EVENHAND_DATA", tempfile.mkdtemp(prefix="evenhand-tests-"))
os.environ.setdefault("SECRET_KEY", "only for tests, where nothing is secret")

# Each process of a parallel test run has its own data folder and Redis database
if PROCESS := os.environ.get("PYTEST_XDIST_WORKER", ""):
    if Path(os.environ["EVENHAND_DATA"]).name != PROCESS:
        os.environ["EVENHAND_DATA"] = f"{os.environ['EVENHAND_DATA']}/{PROCESS}"
    if os.environ.get("REDIS_URL"):
        os.environ["REDIS_URL"] = f"{os.environ['REDIS_URL'].rpartition('/')[0]}/{PROCESS.removeprefix('gw')}"
Path(os.environ["EVENHAND_DATA"]).mkdir(parents=True, exist_ok=True)

from evalsite.settings import *  # noqa: E402, F403

ALLOWED_HOSTS = ["*"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
AXES_ENABLED = False
ACCOUNT_RATE_LIMITS = False  # type: ignore[assignment]
REST_FRAMEWORK["DEFAULT_THROTTLE_RATES"] = {"user": None}  # noqa: F405
CACHES = {"default": env_cache("", folder=Path(os.environ["EVENHAND_DATA"]) / "cache")}  # noqa: F405

# The tables are made from the models, in a third of the time; tests/conftest.py notes the migrations
TEST_DATABASE: dict[str, object] = {"MIGRATE": False}
if "sqlite" in str(DATABASES["default"]["ENGINE"]):  # noqa: F405
    # A file instead of memory: worker processes and other threads read the rows of a test
    TEST_DATABASE["NAME"] = f"{os.environ['EVENHAND_DATA']}/test.sqlite3"
DATABASES["default"]["TEST"] = TEST_DATABASE  # noqa: F405
WHITENOISE_AUTOREFRESH = True  # serves files from their sources; the tests run no collectstatic
