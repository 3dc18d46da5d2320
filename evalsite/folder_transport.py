"""A folder as message broker, which gives out messages by their priority, as Redis does."""

from __future__ import annotations

import json
import time
import uuid
from pathlib import Path
from typing import Any

from kombu.transport import filesystem


class FolderChannel(filesystem.Channel):
    def _put(self, queue: str, message: Any, **kwargs: object) -> None:  # type: ignore[override]  # noqa: ANN401 - kombu's bases disagree
        """Write a message. kombu takes the files of a folder by name: here priority, then time."""
        folder, unique = Path(self.data_folder_out), uuid.uuid4()
        unfinished = folder / f".{unique}"
        unfinished.write_text(json.dumps(message))
        priority = self._get_message_priority(message)
        unfinished.rename(folder / f"{priority}-{time.time_ns():020}-{unique}.{queue}.msg")


class FolderTransport(filesystem.Transport):
    Channel = FolderChannel
