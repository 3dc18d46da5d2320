"""The kinds of faults. Each is a function that strikes a running service and ends when the fault is over."""

import signal
import subprocess
import time
from contextlib import suppress

from tests.faults.service import LEASE

OUTAGE = 3.0  # seconds
HOUR = "3600"


def nothing(service, chance):
    """No fault: what the others are compared with."""


def worker_killed(service, chance):
    service.kill(chance.choice(service.workers))


def worker_frozen(service, chance):
    """Stop a worker until another has taken its chunk over, then let it go on."""
    worker = chance.choice(service.workers)
    worker.send_signal(signal.SIGSTOP)
    time.sleep(LEASE + 2)
    worker.send_signal(signal.SIGCONT)


def redis_emptied(service, chance):
    service.redis.flushall()


def database_stopped(service, chance):
    service.postgres.stop()
    time.sleep(OUTAGE)
    service.postgres.start()


def disk_full(service, chance):
    filler = service.disk / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(1_000_000))
    time.sleep(OUTAGE)
    filler.unlink()
    if not service.database_answers():
        service.postgres.start()


def endpoint_dead(service, chance):
    service.stop_endpoint(0)
    time.sleep(OUTAGE)
    service.start_endpoint(0)


def clock_off(service, chance):
    """Kill a worker whose clock is an hour off."""
    service.kill(service.workers[-1])


def wrong_clock(chance):
    """Return the environment of a process whose clock is an hour ahead, or behind. Needs the program faketime."""
    offset = chance.choice("+-") + HOUR
    named = subprocess.run(["faketime", "-f", offset, "printenv", "LD_PRELOAD"], capture_output=True, check=True)
    return {"LD_PRELOAD": named.stdout.decode().strip(), "FAKETIME": offset, "DONT_FAKE_MONOTONIC": "1"}


KINDS = {
    "none": nothing,
    "worker killed": worker_killed,
    "worker frozen": worker_frozen,
    "Redis emptied": redis_emptied,
    "PostgreSQL stopped": database_stopped,
    "disk full": disk_full,
    "endpoint dead": endpoint_dead,
    "clock an hour off": clock_off,
}
