"""A fake endpoint as a program: `python -m tests.faults.endpoint PORT LOG`. It writes a line for each question asked.

The answer depends on the question alone, so that two runs can be compared.
"""

import hashlib
import sys
import threading
import time
from math import log
from pathlib import Path

from tests.evenhand.engine.endpoint.misbehaving_server import ServedEndpoint, reply

SECONDS = 0.25  # of an answer; a worker asks eight questions at once


def main(port, questions):
    lock = threading.Lock()

    def answer(body):
        content = body["messages"][-1]["content"]
        digest = hashlib.sha256(content.encode()).hexdigest()
        if "article" in content.lower():  # no trial question
            with lock, questions.open("a") as file:
                file.write(f"{digest}\n")
        time.sleep(SECONDS)
        p = (1 + int(digest[:4], 16)) / (2 + 0xFFFF)
        return reply("A", [("A", {"A": log(p), "B": log(1 - p)})])

    with ServedEndpoint(answer, port=port) as served:
        served.closing.wait()


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
