"""Send hostile values through every form and address: `python -m tests.servers python -m tests.faults.hostile_forms`.

A researcher, an admin and an annotator open the pages of the demo to which links lead. Then each field of their forms,
and each part of their addresses, gets values that nobody should send, is left out, or comes twice. What a request
changes is undone. --seconds ends it early. Without --database or DATABASE_URL, the database is SQLite in a temporary
folder.

Prints the number of answers by status, and writes benchmarks/results/hostile-forms.json. Ends with an error that names
the first request of each kind which the server failed at.
"""

import argparse
import json
import logging
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from urllib.parse import parse_qs, urljoin, urlsplit

from lxml import html

from benchmarks.database import django_on
from benchmarks.machine import machine, say

RESULTS = Path(__file__).resolve().parents[2] / "benchmarks" / "results" / "hostile-forms.json"
PEOPLE = ("researcher", "admin", "annotator")
PAGES_OF_A_VIEW = 3
OF_A_FIELD = 9  # hostile values that each field gets
LEFT_ALONE = ("/static/", "/docs/", "/account/sign-out/")
NUMBERS = ("0", "-1", "-0.0", "+1", " 1 ", "1 000", "9" * 20, "1e999", "nan", "²", "٣", "1;2", "1,2,,3", "2026-13-45")
TEXTS = ("", "pear", "true", "null", "[]", "é" * 300, "x" * 5_000, "\0", "a\0b", "1\n2", "' OR 1=1", "%", "../../etc")
HOSTILE = NUMBERS + TEXTS


@dataclass(frozen=True)
class Sent:
    """A request. values: name -> its values, as a browser sends them."""

    person: str
    method: str
    address: str
    values: dict[str, list[str]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1_800)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--database", default="", metavar="URL", help="postgresql://… or sqlite:///…")
    options = parser.parse_args()
    with django_on(options.database) as folder:
        from django.conf import settings
        from django.db import connection

        from judging.services.demo import prepare_demo

        settings.ALLOWED_HOSTS = ["*"]
        logging.disable(logging.ERROR)  # refusals, and the faults that are listed at the end
        prepare_demo(data=folder)
        statuses, faults = send_all(Random(options.seed), until=time.monotonic() + options.seconds)
        vendor = connection.vendor
    document = {"date": f"{datetime.now(UTC):%Y-%m-%d}", "database": vendor, "seed": options.seed}
    document |= {"statuses": statuses, "faults": faults, "machine": machine(("django", "psycopg"))}
    RESULTS.write_text(json.dumps(document, indent=2) + "\n")
    say(f"{sum(statuses.values())} requests; answers by status: {statuses}")
    if faults:
        raise SystemExit("\n".join(f"{fault}: {sent}" for fault, sent in faults.items()))


def send_all(chance: Random, *, until: float) -> tuple[dict[int, int], dict[str, str]]:
    """Return how many answers had each status, and each fault with its first request."""
    from django.core.signals import got_request_exception

    statuses, faults, errors = Counter[int](), dict[str, str](), list[BaseException]()
    note = lambda **_: errors.append(sys.exc_info()[1])  # noqa: E731 - a receiver that lives as long as this call
    got_request_exception.connect(note)
    usual = {key_of(sent): sent for person in PEOPLE for sent in sent_by(person)}
    spoiled = [one for sent in usual.values() for one in spoil(sent, chance)]
    chance.shuffle(spoiled)
    for sent in spoiled:
        if time.monotonic() > until:
            break
        errors.clear()
        statuses[answer_to(sent).status_code] += 1
        for error in errors:
            last = traceback.extract_tb(error.__traceback__)[-1]
            faults.setdefault(f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}", str(sent)[:500])
    return dict(sorted(statuses.items())), faults


def sent_by(person: str) -> Iterator[Sent]:
    """Yield what a person sends by the forms, and by the links with a query, of all pages that links lead to."""
    todo, seen, opened = ["/"], {"/"}, Counter[str]()
    while todo:
        address = todo.pop(0)
        opened[view_of(address)] += 1
        if opened[view_of(address)] > PAGES_OF_A_VIEW:
            continue
        path, _, query = address.partition("?")
        if query:
            yield Sent(person, "get", path, parse_qs(query, keep_blank_values=True))
        answer = answer_to(Sent(person, "get", address, {}))
        if answer.status_code != 200 or answer.streaming or "html" not in answer["Content-Type"]:
            continue
        page = html.fromstring(answer.content)
        for form in page.forms:
            buttons = [(one.get("name"), one.get("value", "")) for one in form.xpath(".//button[@name]")]
            values = dict[str, list[str]]()
            for name, value in [*form.form_values(), *buttons[:1]]:
                values.setdefault(name, []).append(value or "")
            values |= {name: [""] for name in form.fields.keys() - values.keys() if name}
            values.pop("csrfmiddlewaretoken", None)
            yield Sent(person, form.method.lower(), urljoin(address, form.action or ""), values)
        links = {urljoin(address, link).partition("#")[0] for link in page.xpath("//a/@href")}
        new = sorted(link for link in links - seen if link.startswith("/") and not link.startswith(LEFT_ALONE))
        seen.update(new)
        todo += new


def view_of(address: str) -> str:
    from django.urls import Resolver404, resolve

    try:
        return resolve(urlsplit(address).path).view_name
    except Resolver404:
        return ""


def key_of(sent: Sent) -> tuple[object, ...]:
    return sent.person, sent.method, view_of(sent.address), *sorted(sent.values)


def spoil(sent: Sent, chance: Random) -> Iterator[Sent]:
    """Yield a request with each of its values spoiled in turn."""
    if sent.address.startswith(LEFT_ALONE):
        return
    for name in sent.values:
        strange = [*chance.sample(HOSTILE, OF_A_FIELD)]
        for values in ([], *([one] for one in strange), strange[:2]):
            yield Sent(sent.person, sent.method, sent.address, sent.values | {name: values})


def answer_to(sent: Sent):
    """Return the answer of the site. What it changed is undone."""
    from django.db import transaction
    from django.test import Client

    from judging.models import User

    client = Client(raise_request_exception=False)
    with transaction.atomic():
        client.force_login(User.objects.get(username=sent.person), backend="django.contrib.auth.backends.ModelBackend")
        answer = getattr(client, sent.method)(sent.address, sent.values)
        if answer.streaming:
            b"".join(answer)
        transaction.set_rollback(True)
    return answer


if __name__ == "__main__":
    main()
