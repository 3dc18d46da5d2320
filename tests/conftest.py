"""What every test may use: people of each role, the shared data, real servers."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parent.parent.parent / "shared"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder with the real datasets and cases; skips where it is missing."""
    if not (SHARED / "data").is_dir():
        pytest.skip("the real datasets are missing: no folder shared/ beside the checkout")
    return SHARED
