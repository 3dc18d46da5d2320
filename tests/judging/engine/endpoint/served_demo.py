"""The demo judge behind `transformers serve`, a server of an existing project, in a process of its own."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from judging.engine.settings import DEMO_FOLDER
from tests.judging.workers import wait_until
from tests.servers import free_port


@contextmanager
def served_demo(folder: Path, *, template: str, **generation: object) -> Iterator[str]:
    """The server's address; `folder`, made here, is the name of its model.

    The judge never learned to chat: `template`, its chat template, ends after the noun, and it is made to stop after a
    letter. generation: more of its generation config.
    """
    shutil.copytree(DEMO_FOLDER, folder)
    vocabulary = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
    letters = [vocabulary["Ġ" + letter] for letter in "AB"]
    change(folder / "tokenizer_config.json", chat_template=template)
    change(folder / "generation_config.json", eos_token_id=letters, **generation)
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
    """Raises where it has, so that nobody waits for it."""
    if server.poll() is not None:
        raise RuntimeError(f"transformers serve ended with status {server.returncode}")
    return False


def is_up(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/health").is_success
    except httpx.TransportError:
        return False
