"""The batches of an endpoint: their states, and the ledger that remembers them. Imports no HTTP client."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class BatchState:
    """The state of a batch, as the endpoint tells it. Files are empty if there are none."""

    status: str
    completed: int = 0
    failed: int = 0
    output_file: str = ""
    error_file: str = ""
    reason: str = ""


class BatchLedger(Protocol):
    """The batches that were started, stored where a restart does not lose them."""

    def salt(self) -> str:
        """Return a text by which the same requests of two runs are two batches."""

    def knows(self, batch_id: str) -> bool:
        """Return True if this batch was started, also if it is used no more."""

    def find(self, key: str) -> str:
        """Return the id of the batch with these requests; empty if none was started."""

    def add(self, key: str, batch_id: str, *, requests: int) -> None: ...

    def is_due(self, key: str) -> bool:
        """Return False if the endpoint was asked about this batch a moment ago."""

    def update(self, key: str, state: BatchState) -> None: ...

    def forget(self, key: str) -> None:
        """Let the next requests of this key be a new batch."""
