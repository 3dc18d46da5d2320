"""Fill the disk of an installation on SQLite while its worker judges: `unshare -m python -m tests.faults.full_sqlite`.

Database, queue, cache and uploads lie on one disk in memory, which needs the right to mount. The disk is full for
longer than a slice waits. Then there is space again. Prints as JSON what people saw, and what became of the run.
Ends with an error if people could not sign in and read, or if the run did not end by itself with each comparison once.
"""

import json
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress

import httpx

from benchmarks.database import django_on
from judging.services.execution.slices import PATIENCE
from tests.faults.service import LEASE, SWEEP, small_disk
from tests.servers import free_port

PASSWORD = "a long one"
SEEN = {"sign_in": 302, "page": 200, "write": 507, "ready": 503, "page_later": 200}


def main():
    with small_disk() as disk, django_on():
        if disk is None:
            raise SystemExit("this account may not mount a disk")
        seen = seen_while_full(disk)
    sys.stdout.write(json.dumps(seen, indent=2) + "\n")
    if seen["status"] != "done" or not seen["each_once"] or seen | SEEN != seen:
        raise SystemExit("a full disk stopped people or lost work")


def seen_while_full(disk):
    from django.db import connections

    web, endpoint = free_port(), free_port()
    short = ["env", f"LEASE_SECONDS={LEASE}", f"SWEEP_SECONDS={SWEEP}", "OMP_NUM_THREADS=1", sys.executable]
    programs = (
        ["-m", "tests.faults.endpoint", str(endpoint), "/dev/null"],
        ["manage.py", "serve", "--port", str(web)],
        ["manage.py", "worker"],
    )
    started = [subprocess.Popen([*short, *program], stderr=subprocess.DEVNULL) for program in programs]
    try:
        run = started_run(endpoint)
        with httpx.Client(base_url=f"http://127.0.0.1:{web}", timeout=30) as person:
            return story_of(run, person, disk / "filler")
    finally:
        for process in started:
            process.terminate()
            process.wait()
        connections.close_all()  # the database lies on the disk


def started_run(endpoint):
    """Return a run of some seconds, which its worker finds without a message."""
    from judging import tasks
    from tests.factories import make_dataset, make_judge, make_run, make_user

    rita = make_user("rita", "researcher")
    rita.set_password(PASSWORD)
    rita.save()
    judge = make_judge("remote", model="judge", backend="openai", base_url=f"http://127.0.0.1:{endpoint}/v1")
    run = make_run(make_dataset(candidates=(12,) * 12, owner=rita), judge=judge, owner=rita)
    tasks.send_run(run.pk)
    return run


def story_of(run, person, filler):
    from django.urls import reverse

    address = run.get_absolute_url()
    wait_until(lambda: status_at(person, "/readyz") == 200, what="site and worker are ready")
    wait_until(run.comparisons.exists, what="the first answer")
    fill(filler)
    seen = {
        "sign_in": sent(person, reverse("login"), username="rita", password=PASSWORD),
        "page": status_at(person, address),
        "write": sent(person, reverse("token-create"), name="notebook"),
        "ready": status_at(person, "/readyz"),
        "why": person.get("/readyz").json()["database"],
    }
    for _ in range(round(PATIENCE) + 2 * LEASE):
        time.sleep(1)
        fill(filler)  # what others freed
    seen |= {"page_later": status_at(person, address), "status_while_full": status_of(run)}
    filler.unlink()
    wait_until(lambda: status_of(run) in ("done", "failed"), what="the end of the run")
    planned = Counter((first, second) for chunk in run.chunks.all() for first, second in chunk.pairs)
    stored = Counter(run.comparisons.values_list("first", "second"))
    return seen | {"status": run.status, "each_once": stored == planned, "comparisons": stored.total()}


def sent(person, address, **fields):
    """Return the status of the answer to a form."""
    person.get("/account/sign-in/")
    return person.post(address, data=fields | {"csrfmiddlewaretoken": person.cookies["csrftoken"]}).status_code


def status_at(person, address):
    with suppress(httpx.TransportError):
        return person.get(address).status_code
    return 0


def status_of(run):
    run.refresh_from_db()
    return run.status


def fill(filler):
    with filler.open("ab", buffering=0) as file:
        for size in (2**20, 2**12, 1):
            with suppress(OSError):
                while True:
                    file.write(bytes(size))


def wait_until(happened, *, what, within=240):
    deadline = time.monotonic() + within
    while not happened():
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {within} seconds: {what}")
        time.sleep(0.1)


if __name__ == "__main__":
    main()
