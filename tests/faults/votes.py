"""Stop PostgreSQL amid the votes of an annotator in a browser: `python -m tests.faults.votes [ROUNDS]`.

In each round the annotator votes, and the database stops as in a crash: before the vote, or up to 0.1 s after the key.
It comes back once the page has said that the vote is not saved, or has shown the next pair. Prints as JSON what became
of the votes, and what people read meanwhile. Ends with an error if a vote was lost, doubled or changed, or if too few
pages said so. Needs a Chromium.
"""

import json
import os
import subprocess
import sys
import time
from collections import Counter
from contextlib import contextmanager
from random import Random
from threading import Timer

from playwright.sync_api import sync_playwright

from benchmarks.database import django_on
from tests.browser.chromium import FLAGS, executable
from tests.browser.screenshots import Camera, wait_for
from tests.servers import free_port, postgres_server

ROUNDS = 20
TOLD = "Not saved yet"
PLAIN = "Nothing was saved in part. Try again"
"""The voting page says the first of a vote; any other page says the second while the database is away."""
SHOWN = "form[action$='/annotate/vote/'] [name=pair]"


def main(rounds):
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # playwright runs a loop in this thread
    with postgres_server(synchronous_commit="on") as postgres, django_on(postgres.url), served_site() as address:
        campaign = made_campaign(rounds)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=executable(), args=list(FLAGS))
            page = browser.new_page(base_url=address)
            Camera(page, None).sign_in("ann", "ann")
            page.goto(f"/campaigns/{campaign.pk}/annotate/")
            given, told, plain = votes_of(page, postgres, rounds)
            browser.close()
        result = {"votes": rounds, "told": told, "plain_pages": plain} | compared(given)
    sys.stdout.write(json.dumps(result, indent=2) + "\n")
    if any(result[name] for name in ("lost", "doubled", "changed")) or min(told, plain) < (rounds + 1) // 2:
        raise SystemExit("a stopped database lost, doubled or changed a vote, or nobody was told")


@contextmanager
def served_site():
    port = free_port()
    server = subprocess.Popen([sys.executable, "manage.py", "serve", "--port", str(port)], stderr=subprocess.DEVNULL)
    try:
        wait_for(f"http://127.0.0.1:{port}", server)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(timeout=30)


def made_campaign(pairs):
    from tests.campaigns import make_annotator, make_ready_campaign
    from tests.factories import make_dataset

    return make_ready_campaign(make_annotator("ann"), dataset=make_dataset(candidates=(2,) * pairs))


def votes_of(page, postgres, rounds):
    """Return pair -> the choice that was given, how often the page said that it is not saved, and how many plain pages.

    Every second outage begins before the vote; then the page must say so.
    """
    chance, given, told, plain = Random(0), {}, 0, 0
    for number in range(rounds):
        page.wait_for_selector("[data-annotate][data-ready]:not([aria-busy])")
        pair = page.locator(SHOWN).input_value()
        given[pair] = chance.choice(("first", "second"))
        key = {"first": "a", "second": "b"}[given[pair]]
        if number % 2 == 0:
            postgres.stop()
            page.keyboard.press(key)
            page.get_by_role("status").filter(has_text=TOLD).wait_for()
        else:
            outage = Timer(chance.uniform(0, 0.1), postgres.stop)
            outage.start()
            page.keyboard.press(key)
            outage.join()
            while not (page.get_by_role("status").filter(has_text=TOLD).count() or is_past(page, pair)):
                page.wait_for_timeout(20)
        told += page.get_by_role("status").filter(has_text=TOLD).count()
        plain += PLAIN in page.request.get(page.url).text()
        postgres.start()
        while not is_past(page, pair):
            page.wait_for_timeout(100)
    return given, told, plain


def is_past(page, pair):
    """Return True once the page asks for no vote on this pair."""
    return not page.locator(f"{SHOWN}[value='{pair}']").count()


def compared(given):
    """Return how many votes are lost, doubled and changed."""
    from django.db import connection

    from judging.models import Vote

    connection.close()
    time.sleep(1)  # a form that is sent twice may still be under way
    rows = [(str(key), choice) for key, choice in Vote.objects.values_list("assignment__key", "choice")]
    stored = Counter(key for key, _ in rows)
    return {
        "lost": len(given.keys() - stored.keys()),
        "doubled": sum(number - 1 for number in stored.values()),
        "changed": sum(given.get(key) != choice for key, choice in rows),
    }


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS)
