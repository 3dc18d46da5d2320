"""Settings of the tests: those of the building, with quick passwords and a secret of their own."""

import os
import tempfile

os.environ.setdefault("EVENHAND_DATA", tempfile.mkdtemp(prefix="evenhand-tests-"))
os.environ.setdefault("SECRET_KEY", "only-for-tests")

from evalsite.settings import *  # noqa: F403

ALLOWED_HOSTS = ["*"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
AXES_ENABLED = False
