"""The demo judge behind `transformers serve`, in a separate process."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from evenhand.engine.settings import DEMO_FOLDER
from tests.judging.workers import wait_until
from tests.servers import free_port


@contextmanager
def served_demo(folder: Path, *, template: str, **generation: object) -> Iterator[str]:
    """Yield the server's address. Its model is called by the path `folder`, which is created here.

    The judge is no chat model, so its chat template `template` ends after the noun, and generation stops after a
    letter. generation: further entries of its generation config.
    """
    shutil.copytree(DEMO_FOLDER, folder)
    vocabulary = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
    letters = [vocabulary["Ġ" + letter] for letter in "AB"]
    change(folder / "tokenizer_config.json", chat_template=template)
    change(folder / "generation_config.json", eos_token_id=letters, **generation)
    with serving(folder) as address:
        yield address


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Yield the address of `transformers serve` with the model in a folder."""
    port = free_port()
    command = [sys.executable, "-m", "transformers.cli.transformers", "serve", str(folder), "--port", str(port)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    offline = os.environ | {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    server = subprocess.Popen([*command, "--device", "cpu", "--dtype", "float32"], env=offline, **quiet)
    try:
        wait_until(lambda: has_ended(server) or is_up(port), what="the server answers")
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.terminate()
        server.wait()


def change(file: Path, **values: object) -> None:
    file.write_text(json.dumps(json.loads(file.read_text()) | values))


def has_ended(server: subprocess.Popen[bytes]) -> bool:
    """Raise if the server has ended."""
    if server.poll() is not None:
        raise RuntimeError(f"transformers serve ended with status {server.returncode}")
    return False


def is_up(port: int) -> bool:
    """Ask without httpx, which reads all certificates for each request."""
    try:
        with urlopen(f"http://127.0.0.1:{port}/health") as answer:
            return answer.status == 200
    except (URLError, ConnectionError):
        return False
