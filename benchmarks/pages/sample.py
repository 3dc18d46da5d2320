"""Measure the processor time of each page of the sample, warm: `python -m benchmarks.pages.sample`.

Each of its people opens the pages of a web server to which links lead, ROUNDS times. Writes
benchmarks/results/sample-pages.json. Ends with an error that names the pages above GOAL. The machine must be quiet.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import httpx
import psutil

from benchmarks.database import django_on
from benchmarks.machine import machine, say
from tests.servers import free_port, page_at

RESULTS = Path(__file__).resolve().parents[1] / "results" / "sample-pages.json"
PEOPLE, ROUNDS, GOAL = ("researcher", "admin", "annotator"), 12, 60  # milliseconds
LINK = re.compile(r'href="(/(?!static/|docs/|account/sign-out/)[^"#?]*)"')


def main() -> None:
    with django_on() as folder:
        from judging.services.demo import prepare_demo

        prepare_demo(data=folder)
        url = f"http://127.0.0.1:{(port := free_port())}"
        serve = [sys.executable, "manage.py", "serve", "--port", str(port), "--processes", "1"]
        with subprocess.Popen(serve) as process:
            while not page_at(f"{url}/livez"):
                pass
            found = {person: milliseconds_of(person, url, psutil.Process(process.pid)) for person in PEOPLE}
            process.terminate()
    people = {
        person: {"pages": len(pages), "slowest": dict(sorted(pages.items(), key=lambda page: -page[1])[:5])}
        for person, pages in found.items()
    }
    RESULTS.write_text(json.dumps({"people": people, "machine": machine(("django", "gunicorn"))}, indent=2) + "\n")
    for person, one in people.items():
        say(f"{person}: {one['pages']} pages; slowest, ms: {one['slowest']}")
    if slow := [page for pages in found.values() for page, most in pages.items() if most > GOAL]:
        raise SystemExit(f"above {GOAL} ms: {slow}")


def milliseconds_of(person: str, url: str, server: psutil.Process) -> dict[str, int]:
    """Return the address of each page -> its milliseconds."""
    from django.test import Client

    from judging.models import User

    signed_in = Client()
    signed_in.force_login(User.objects.get(username=person), backend="django.contrib.auth.backends.ModelBackend")
    cookies = {name: one.value for name, one in signed_in.cookies.items()}
    todo, found = ["/"], dict[str, int]()
    with httpx.Client(base_url=url, cookies=cookies, timeout=60) as browser:
        for address in todo:
            answer = browser.get(address)
            if answer.status_code == 200 and "html" in answer.headers["Content-Type"]:
                started = used_by(server)
                for _ in range(ROUNDS):
                    browser.get(address)
                found[address] = round(1000 * (used_by(server) - started) / ROUNDS)
                todo += [link for link in dict.fromkeys(LINK.findall(answer.text)) if link not in todo]
    return found


def used_by(server: psutil.Process) -> float:
    """Return the seconds of a processor that a web server and its processes have used."""
    times = [one.cpu_times() for one in (server, *server.children(recursive=True))]
    return sum(one.user + one.system for one in times)


if __name__ == "__main__":
    main()
