"""One command checks what an installation needs, with the checks of /readyz and of Django's `check --deploy`."""

import json
import socket
from datetime import timedelta

import pytest
from django.core.checks import run_checks
from django.core.management import call_command
from django.db import OperationalError, connection
from django.utils import timezone

from judging.models import Worker
from judging.services.execution.worker_reports import report_worker
from judging.web.watching import readiness
from tests.factories import make_user

pytestmark = pytest.mark.django_db
PARTS = ["database", "schema", "broker", "worker", "settings", "gpu", "disk", "mail", "clock"]


@pytest.fixture(autouse=True)
def installation(settings):
    """An installation that lacks nothing."""
    settings.ALLOWED_HOSTS, settings.EMAIL_HOST, settings.ADMINS = ["localhost"], "", []
    readiness.lasting_schema_problems.cache_clear()
    make_user("ada", "admin")
    Worker.objects.all().delete()
    report_worker("default,gpu")


def examined(capsys):
    """Return the exit status, and what the command says of each part."""
    status = 0
    try:
        call_command("doctor", "--json")
    except SystemExit as ended:
        status = ended.code
    return status, json.loads(capsys.readouterr().out)


def test_sound_installation_has_a_line_for_each_part_and_status_0(capsys):
    call_command("doctor")
    assert capsys.readouterr().out.splitlines() == [f"{part}: ok" for part in PARTS]
    assert examined(capsys) == (0, dict.fromkeys(PARTS, "ok"))


@pytest.mark.parametrize(
    ("changed", "advice"),
    [
        ({"DEBUG": True}, "DEBUG is on"),
        ({"ALLOWED_HOSTS": ["evenhand.example.org"]}, "set HTTPS=1"),
        ({"HTTPS": True}, "set CSRF_TRUSTED_ORIGINS"),
        ({"ADMINS": [("a", "a@example.org")]}, "set ADMINS and EMAIL_HOST"),
    ],
)
def test_contradicting_settings_are_named_by_doctor_and_by_django(capsys, settings, changed, advice):
    for name, value in changed.items():
        setattr(settings, name, value)

    status, parts = examined(capsys)

    assert (status, {name for name, one in parts.items() if one != "ok"}) == (1, {"settings"})
    assert advice in parts["settings"]
    assert parts["settings"] in [one.msg for one in run_checks(include_deployment_checks=True)]
    assert parts["settings"] not in [one.msg for one in run_checks()]


def test_queue_of_a_gpu_needs_a_worker(capsys, settings):
    settings.JUDGE_QUEUE = "gpu"
    assert examined(capsys)[0] == 0

    Worker.objects.update(queues="default")

    status, parts = examined(capsys)
    assert (status, "--queues gpu" in parts["gpu"], parts["worker"]) == (1, True, "ok")


def test_clock_of_a_worker_that_runs_wrong_is_named(capsys):
    Worker.objects.update(own_clock=timezone.now() - timedelta(minutes=3))
    name = Worker.objects.get().name

    status, parts = examined(capsys)

    assert (status, f"{name} by 180 s" in parts["clock"]) == (1, True)


def test_small_disk_and_silent_mail_server_are_named(capsys, settings):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        settings.EMAIL_PORT = taken.getsockname()[1]
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.ADMINS = "127.0.0.1", [("a", "a@example.org")]
    settings.MAX_UPLOAD_BYTES = 2**60

    status, parts = examined(capsys)

    assert (status, {name for name, one in parts.items() if one != "ok"}) == (1, {"disk", "mail"})
    assert "127.0.0.1 cannot be used" in parts["mail"]
    assert "free bytes" in parts["disk"]


def test_without_a_database_the_rest_is_still_checked(capsys):
    def fail(*_):
        raise OperationalError("connection refused")

    with connection.execute_wrapper(fail):
        status, parts = examined(capsys)

    unknown = "not known: the database does not answer"
    assert status == 1
    assert parts == dict.fromkeys(PARTS, "ok") | {"database": "does not answer"} | dict.fromkeys(
        ("schema", "worker", "clock"), unknown
    )
