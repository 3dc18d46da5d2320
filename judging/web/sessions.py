"""Sessions in the database. While it can store none, a session travels in its cookie, signed, for half a day."""

from typing import Any

from django.contrib.sessions.backends.base import UpdateError
from django.contrib.sessions.backends.db import SessionStore as DatabaseSessions
from django.core import signing
from django.db import DatabaseError

from judging.services.full_disks import best_effort, lacks_space

SALT = "judging.web.sessions"
TRAVEL_SECONDS = 12 * 3600


class SessionStore(DatabaseSessions):
    """Django's sessions. The key of one that travels is its signed content; it is stored at its next change."""

    @property
    def travels(self) -> bool:
        return ":" in (self.session_key or "")

    def load(self) -> dict[str, Any]:
        if not self.travels:
            return super().load()
        try:
            content: dict[str, Any] = signing.loads(self.session_key or "", salt=SALT, max_age=TRAVEL_SECONDS)
        except signing.BadSignature:
            self._session_key = None
            return {}
        return content

    def save(self, must_create: bool = False) -> None:
        content = self._get_session(no_load=must_create)  # type: ignore[attr-defined]
        if is_new := self.travels:
            self._session_key = self._get_new_session_key()  # type: ignore[attr-defined]
        try:
            super().save(must_create or is_new)
        except (DatabaseError, UpdateError) as error:
            if not lacks_space(error):
                raise
            self._session_key = signing.dumps(content, salt=SALT, compress=True)

    @best_effort()
    def delete(self, session_key: str | None = None) -> None:
        super().delete(session_key)
