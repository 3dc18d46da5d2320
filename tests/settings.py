"""Settings of the tests: those of the building, with quick passwords and a secret of their own."""

import os
import tempfile

os.environ.setdefault("EVENHAND_DATA", tempfile.mkdtemp(prefix="evenhand-tests-"))
os.environ.setdefault("SECRET_KEY", "only-for-tests")

from evalsite.settings import *  # noqa: F403

ALLOWED_HOSTS = ["*"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
AXES_ENABLED = False

if "sqlite" in DATABASES["default"]["ENGINE"]:  # noqa: F405
    # A file, so that a worker's process and other threads see what a test stored
    DATABASES["default"]["TEST"] = {"NAME": f"{os.environ['EVENHAND_DATA']}/test.sqlite3"}  # noqa: F405
WHITENOISE_AUTOREFRESH = True  # files are looked up when they are asked for; nothing is collected
