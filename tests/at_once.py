"""Several things at the same moment, each with a connection of its own."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from django.db import connection


def at_once(*actions):
    """Run every action in a thread of its own, all starting together; their results in order."""
    start = Barrier(len(actions))

    def run(action):
        start.wait()
        try:
            return action()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(actions)) as pool:
        return list(pool.map(run, actions))
