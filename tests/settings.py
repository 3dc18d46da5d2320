"""Settings of the tests: those of the building, with quick passwords and a secret of their own."""

import os
import tempfile
from pathlib import Path

os.environ.setdefault("EVENHAND_DATA", tempfile.mkdtemp(prefix="evenhand-tests-"))
os.environ.setdefault("SECRET_KEY", "only-for-tests")

# Processes of one test run that work side by side have a data folder and a Redis database each
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

if "sqlite" in str(DATABASES["default"]["ENGINE"]):  # noqa: F405
    # A file, so that a worker's process and other threads see what a test stored
    DATABASES["default"]["TEST"] = {"NAME": f"{os.environ['EVENHAND_DATA']}/test.sqlite3"}  # noqa: F405
WHITENOISE_AUTOREFRESH = True  # files are looked up when they are asked for; nothing is collected
