"""Convert a GGUF file to a folder with configuration, tokenizer and float32 weights, which every judge loads."""

import fcntl
import logging
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

import torch
from transformers import AutoConfig, AutoTokenizer, GgufConfig

from evenhand.engine.exceptions import LoadFailed
from evenhand.engine.gguf_files import gguf_problem, read_header
from evenhand.engine.local.model.model_classes import model_class

logger = logging.getLogger(__name__)
_ADVICE = "add it with: evenhand install_judge"
_BYTES = 4  # of a weight in float32
_PACKAGES = ("gguf", "accelerate")
_READ_AGAIN = ("GGUFReader", "get_tensor_name_map")


def convert(file: Path, folder: Path) -> None:
    """Write the model of a GGUF file into a folder; one process at a time, and only if the folder is not there.

    Raises LoadFailed for a package that is missing, and for a file that is broken or larger than the disk takes.
    """
    if missing := [name for name in _PACKAGES if find_spec(name) is None]:
        raise LoadFailed(f"GGUF files need the package {missing[0]}, which is not installed; {_ADVICE}")
    if problem := gguf_problem(file):
        raise LoadFailed(problem)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f".{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():
            _require_space(file, folder.parent)
            _write(file, folder)


def _require_space(file: Path, folder: Path) -> None:
    needed, free = _BYTES * read_header(file).weights, shutil.disk_usage(folder).free
    if needed > free:
        raise LoadFailed(
            f'"{file}" needs {needed / 1e9:.1f} GB once it is converted, and {folder} has {free / 1e9:.1f} GB left'
        )


def _write(file: Path, folder: Path) -> None:
    """Write into a temporary folder, and move it in one step."""
    logger.warning("%s is converted once, for all its judges; its weights are kept in %s", file, folder)
    start = monotonic()
    with TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as part, _reading_once():
        written = Path(part) / folder.name
        _save(file, written)
        for path in written.iterdir():
            path.chmod(0o644)  # weights are written for one account alone
        written.rename(folder)
    logger.warning("%s was converted in %.0f seconds", file, monotonic() - start)


def _save(file: Path, folder: Path) -> None:
    place = {"pretrained_model_name_or_path": str(file.parent), "gguf_file": file.name}
    AutoTokenizer.from_pretrained(**place).save_pretrained(folder)
    config = AutoConfig.from_pretrained(**place)
    unpacked = GgufConfig(dequantize=True)
    model = model_class(config).from_pretrained(**place, dtype=torch.float32, quantization_config=unpacked)
    model.hf_quantizer = None  # its weights are plain numbers now
    vars(model.config).pop("quantization_config", None)
    model.save_pretrained(folder)


@contextmanager
def _reading_once() -> Iterator[None]:
    """Let the libraries read the header once. They would read it four times, for seconds each."""
    gguf = import_module("gguf")
    before = {name: getattr(gguf, name) for name in _READ_AGAIN}
    try:
        for name, read in before.items():
            setattr(gguf, name, cache(read))
        yield
    finally:
        for name, read in before.items():
            setattr(gguf, name, read)
