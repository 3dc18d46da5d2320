"""Actions in parallel threads, each with its own database connection."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from django.db import connection


def run_in_parallel(*actions):
    """Run each action in its own thread, started together. Returns their results in order."""
    start = Barrier(len(actions))

    def run(action):
        start.wait()
        try:
            return action()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(actions)) as pool:
        return list(pool.map(run, actions))
