"""Pictures of what people see during a fault: `python -m tests.faults.pictures docs/images`. Needs a Chromium."""

import os
import subprocess
import sys
from pathlib import Path
from random import Random

from playwright.sync_api import sync_playwright

from tests.browser.chromium import FLAGS, executable
from tests.browser.screenshots import Camera, wait_for
from tests.faults.kinds import worker_frozen
from tests.faults.service import running_service
from tests.servers import free_port

SIZE = {"width": 900, "height": 440}


def main(folder):
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # playwright runs a loop in this thread
    with running_service() as service, sync_playwright() as playwright:
        run, campaign = make_world(service)
        port = free_port()
        server = subprocess.Popen([sys.executable, "manage.py", "serve", "--port", str(port)], env=os.environ)
        try:
            address = f"http://127.0.0.1:{port}"
            wait_for(address, server)
            browser = playwright.chromium.launch(executable_path=executable(), args=list(FLAGS))
            page = browser.new_page(base_url=address, viewport=SIZE, color_scheme="light")
            take(Camera(page, folder), service, run, campaign)
            browser.close()
        finally:
            server.terminate()
            server.wait(timeout=30)


def make_world(service):
    """Return a run of Rita that waits to be started, and a campaign of Ann."""
    from tests.campaigns import make_annotator, make_ready_campaign
    from tests.factories import make_dataset, make_judge, make_run, make_user

    dataset, rita = make_dataset(candidates=(20, 20)), make_user("rita", "researcher")
    judge = make_judge("remote", model="judge", backend="openai", base_url=f"http://127.0.0.1:{service.ports[0]}/v1")
    return make_run(dataset, judge=judge, owner=rita), make_ready_campaign(make_annotator("ann"), dataset=dataset)


def take(camera, service, run, campaign):
    """Take a run with a frozen worker and an emptied Redis, one with a dead endpoint, one without workers, a vote
    without a database, and a change with a full disk."""
    from judging import tasks
    from judging.models import Run
    from judging.services.runs.progress import STALE_AFTER
    from judging.services.runs.run_lifecycle import resume

    camera.sign_in("rita", "rita")
    tasks.start_run(run.pk)
    service.wait_until(lambda: run.comparisons.values("context").distinct().count() == 2, what="both workers judge")
    worker_frozen(service, Random(0))
    service.redis.flushall()
    show(camera, f"/runs/{run.pk}/", "fault-frozen")
    service.stop_endpoint(0)
    service.wait_until(Run.objects.filter(status="failed").exists, what="the run gives up")
    show(camera, f"/runs/{run.pk}/", "fault-endpoint")
    for worker in list(service.workers):
        service.kill(worker)
    tasks.start_run(resume(run).pk)
    Run.objects.update(queued_at=run.created_at - 2 * STALE_AFTER)  # as if it had waited for so long
    show(camera, f"/runs/{run.pk}/", "fault-worker")
    camera.sign_in("ann", "ann")
    camera.page.goto(f"/campaigns/{campaign.pk}/annotate/")
    camera.page.wait_for_selector("[data-ready]")
    service.postgres.stop()
    camera.page.keyboard.press("a")
    camera.page.wait_for_selector(".alarming")
    camera.take("fault-database")
    service.postgres.start()
    camera.page.wait_for_selector(".alarming", state="detached")
    refuse_writes()
    camera.sign_in("rita", "rita")
    camera.page.goto(f"/runs/{run.pk}/")
    camera.page.get_by_role("button", name="Cancel").click()
    camera.page.wait_for_load_state("networkidle")
    camera.take("fault-disk")


def refuse_writes():
    """Let the database take no writes, as one whose disk is full."""
    from django.db import connection

    connection.close()  # the restart ended it
    with connection.cursor() as cursor:
        cursor.execute("ALTER SYSTEM SET default_transaction_read_only = on")
        cursor.execute("SELECT pg_reload_conf()")


def show(camera, address, name):
    camera.page.goto(address)
    camera.page.wait_for_load_state("networkidle")
    camera.take(name)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
