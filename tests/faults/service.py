"""A whole service on this machine: PostgreSQL, Redis, two endpoints and two workers, each a process of its own."""

import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import httpx
import psycopg
import redis

from benchmarks.database import django_on
from tests.servers import free_port, postgres_server, running_redis

LEASE, SWEEP = 3, 1  # seconds
WORKERS = 2
SMALL_DISK = 500  # megabytes, of which PostgreSQL's own programs may take a part


class Service:
    """The processes, and their parts that a fault stops. `questions` are lists of what each endpoint was asked."""

    def __init__(self, folder):
        self.folder = folder
        self.questions = [folder / f"questions-{number}" for number in range(2)]
        self.ports = [free_port() for _ in self.questions]
        self.endpoints, self.workers = [None, None], []

    def start_endpoint(self, number):
        port, log = self.ports[number], self.questions[number]
        log.touch()
        command = [sys.executable, "-m", "tests.faults.endpoint", str(port), str(log)]
        self.endpoints[number] = subprocess.Popen(command)
        self.wait_until(lambda: answers(port), what="the endpoint answers")

    def stop_endpoint(self, number):
        self.endpoints[number].kill()
        self.endpoints[number].wait()

    def start_worker(self, **environment):
        """Start a worker by the command that an administrator gives. Its output goes to a file."""
        with (self.folder / "workers.log").open("ab") as log:
            command = [sys.executable, "manage.py", "worker"]
            short = {"LEASE_SECONDS": str(LEASE), "SWEEP_SECONDS": str(SWEEP), "OMP_NUM_THREADS": "1"}
            worker = subprocess.Popen(command, stdout=log, stderr=log, env=os.environ | short | environment)
        self.workers.append(worker)
        return worker

    def kill(self, worker):
        worker.kill()
        worker.wait()
        self.workers.remove(worker)

    def renew_workers(self):
        """Start workers for those that are gone, and wait until all listen."""
        for worker in [one for one in self.workers if one.poll() is not None]:
            self.workers.remove(worker)
        while len(self.workers) < WORKERS:
            self.start_worker()
        self.wait_until(lambda: self.listening() >= WORKERS, what="all workers listen")

    def listening(self):
        """Return how many connections wait at Redis for a message."""
        with suppress(redis.ConnectionError):
            return sum(one["cmd"] == "brpop" for one in self.redis.client_list())
        return 0

    def wait_until(self, happened, *, what, within=180):
        deadline = time.monotonic() + within
        while not self.sees(happened):
            if time.monotonic() > deadline:
                raise TimeoutError(f"not within {within} seconds: {what}")
            time.sleep(0.05)

    @staticmethod
    def sees(happened):
        """Return what a function returns; False while the database is away."""
        from django.db import Error, connection

        try:
            return happened()
        except Error:
            connection.close()
            return False

    def database_answers(self):
        with suppress(psycopg.Error):
            psycopg.connect(self.postgres.url).close()
            return True
        return False


def answers(port):
    with suppress(httpx.TransportError):
        return bool(httpx.get(f"http://127.0.0.1:{port}/v1/models").status_code)
    return False


@contextmanager
def small_disk():
    """A folder on a disk of its own, in memory. Needs the right to mount."""
    folder = tempfile.mkdtemp(prefix="evenhand-disk-")
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SMALL_DISK}m,mode=755", "tmpfs", folder]
    mounted = subprocess.run(mount, check=False, stderr=subprocess.DEVNULL).returncode == 0
    before, tempfile.tempdir = tempfile.tempdir, folder
    try:
        yield Path(folder) if mounted else None
    finally:
        tempfile.tempdir = before
        if mounted:
            subprocess.run(["umount", folder], check=True)
        Path(folder).rmdir()


@contextmanager
def running_service():
    with ExitStack() as stack:
        disk = stack.enter_context(small_disk())
        postgres = stack.enter_context(postgres_server(synchronous_commit="on"))
        tempfile.tempdir = None  # all else lies on the usual disk
        address = stack.enter_context(running_redis())
        os.environ["REDIS_URL"] = address
        service = Service(stack.enter_context(django_on(postgres.url)))
        service.disk, service.postgres, service.redis = disk, postgres, redis.Redis.from_url(address)
        try:
            for number in range(2):
                service.start_endpoint(number)
            service.renew_workers()
            yield service
        finally:
            for process in (*service.workers, *filter(None, service.endpoints)):
                process.kill()
                process.wait()
