"""Log lines carry the numbers of request, user and run; errors go to admins by mail."""

import json
import logging
import os
import subprocess
import sys

import pytest
from django.urls import path, reverse
from django.utils.log import AdminEmailHandler

from evalsite import urls
from evalsite.log_lines import AsJson, AsLine, add_numbers, number_lines
from evenhand.engine import LoadFailed
from judging.services.execution.chunk_execution import execute_chunk
from tests.factories import make_run, make_token, make_user

logger = logging.getLogger("judging.test")


@pytest.fixture
def logged():
    """The lines that are logged, as JSON."""
    lines = []

    class Kept(logging.Handler):
        def emit(self, record):
            lines.append(json.loads(self.format(record)))

    handler = Kept()
    handler.setFormatter(AsJson())
    logging.getLogger().addHandler(handler)
    yield lines
    logging.getLogger().removeHandler(handler)


def fails(request):
    raise ValueError("it fails: ünd")


urlpatterns = [*urls.urlpatterns, path("fails/", fails)]


@pytest.mark.django_db
@pytest.mark.urls("tests.evalsite.test_log_lines")
def test_failed_request_is_logged_with_its_number_and_the_user_who_sent_it(client, logged):
    rita = make_user("rita", "researcher")
    client.raise_request_exception = False
    client.force_login(rita)

    answer = client.get("/fails/")

    [line] = [one for one in logged if one["level"] == "ERROR"]
    assert (line["request"], line["user"]) == (answer.headers["X-Request-ID"], rita.pk)
    assert "it fails: ünd" in line["exception"]


@pytest.mark.django_db
def test_refused_program_is_logged_with_the_user_of_its_token_and_the_next_visitor_without(client, logged):
    tom = make_user("tom", "researcher")

    for headers in ({"Authorization": f"Token {make_token(tom)}"}, {}):
        client.get(reverse("api-dataset", args=[7]), headers=headers)

    assert [(one.get("user"), len(one["request"])) for one in logged] == [(tom.pk, 12), (None, 12)]


@pytest.mark.django_db
def test_lines_of_a_worker_name_the_run(logged):
    run = make_run()

    def load(_):
        raise LoadFailed("no such model")

    execute_chunk(run.chunks.get().pk, load=load)

    assert [(one["message"], one.get("run")) for one in logged] == [(f"run {run.pk} failed: no such model", run.pk)]


def test_text_lines_end_with_the_numbers():
    record = logger.makeRecord("judging.test", logging.INFO, "", 0, "%s done", ("all",), None)
    line = AsLine("{levelname} {name}: {message}", style="{")

    number_lines(request="ab")
    add_numbers(user=7)
    inside = line.format(record)
    number_lines()

    assert (inside, line.format(record)) == (
        "INFO judging.test: all done [request=ab user=7]",
        "INFO judging.test: all done",
    )


@pytest.mark.parametrize(("mail", "handlers"), [({"EMAIL_HOST": "localhost", "ADMINS": "ada@example.org"}, 2), ({}, 1)])
def test_settings_choose_json_and_mail_to_admins(mail, handlers):
    program = (
        "import django, logging; django.setup(); logging.getLogger('judging').error('lost: %s', 1);"
        "print(len(logging.getLogger().handlers + logging.getLogger('django').handlers))"
    )
    own = {"LOG_FORMAT": "json", "DJANGO_SETTINGS_MODULE": "tests.settings", "EMAIL_PORT": "1"}

    done = subprocess.run(
        [sys.executable, "-c", program], env=os.environ | own | mail, capture_output=True, text=True, check=True
    )

    assert json.loads(done.stderr.splitlines()[0])["message"] == "lost: 1"
    assert done.stdout == f"{handlers}\n"


def test_error_is_mailed_to_admins(settings, mailoutbox):
    settings.ADMINS = [("Ada", "ada@example.org")]
    record = logger.makeRecord("judging.test", logging.ERROR, "", 0, "run 3 failed", (), None)

    AdminEmailHandler().handle(record)

    [mail] = mailoutbox
    assert (mail.to, "run 3 failed" in mail.subject) == (["ada@example.org"], True)
