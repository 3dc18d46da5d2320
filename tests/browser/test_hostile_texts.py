"""Whatever people, files and judges write, nothing of it runs: every page, without the policy that forbids scripts."""

import pytest
from django.apps import apps
from django.conf import settings
from django.db import Error, models, transaction
from django.test import Client

from judging.models import Prompt
from tests.browser.conftest import new_context
from tests.browser.page_addresses import make_rows, opened_by
from tests.factories import make_user

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("forget_reports")]

HOSTILE = (
    "<script>ran()</script>",
    "</script><script>ran()</script>",
    '"><img src=x onerror=ran()>',
    "'><svg onload=ran()>",
    '" autofocus onfocus="ran()',
    "</textarea><img src=x onerror=ran()>",
    "</title><svg onload=ran()>",
    "--><svg onload=ran()>",
    '<iframe srcdoc="<script>parent.ran()</script>">',
    '![x](x"onerror="ran())',
    '<https://x" onmouseover=ran() style=display:block>',
    "`<img src=x onerror=ran()>`",
    "&lt;script&gt;ran()&lt;/script&gt;",
    "{{ ran }}{% load ran %}",
    "${ran()}",
)
ANYWHERE = "\"'></textarea></title></script>--><img src=x onerror=ran()> "
"""It runs between tags, in attributes, scripts and comments alike, where the column is long enough for it."""
OF_A_MACHINE = ("sha256", "hash", "code", "password", "method", "format", "backend", "selection", "kind", "username")
"""Parts of the names of columns that nobody writes."""

READ_AND_RAN = "[document.documentElement.outerHTML.includes('ran()'), window.didRun === true]"


def fill_with_hostile_texts() -> int:
    """Write hostile texts into each row's free texts, where their table allows it. Returns their number."""
    number = 0
    for model in apps.get_app_config("judging").get_models():
        for field in model._meta.concrete_fields:
            if not is_written_by_people(field):
                continue
            rows = Prompt.objects.exclude(owner=None) if model is Prompt else model._base_manager.all()
            for pk in rows.values_list("pk", flat=True):
                number += store(model, pk, field.name, f"{HOSTILE[number % len(HOSTILE)]} {number}")
    return number


def store(model: type[models.Model], pk: object, name: str, text: str) -> bool:
    """Write a text into a column of a row, as long as it takes it. Returns whether it takes any."""
    for written in (ANYWHERE + text, text):
        try:
            with transaction.atomic():
                model._base_manager.filter(pk=pk).update(**{name: written})
            return True
        except Error:  # of a choice, or too long
            continue
    return False


def is_written_by_people(field: models.Field) -> bool:
    is_text = isinstance(field, models.CharField | models.TextField) and not field.choices and not field.primary_key
    return is_text and not any(part in field.name for part in OF_A_MACHINE)


def test_no_text_runs_on_any_page(chromium, live_server):
    people = [make_user("admin", "admin"), make_user("ann", "annotator")]
    rows = make_rows(researcher=make_user("rita", "researcher"), annotator=people[1])
    number = fill_with_hostile_texts()
    found, read = {}, 0
    with new_context(chromium, live_server, bypass_csp=True) as context:
        context.add_init_script("window.ran = () => { document.title = 'It ran'; window.didRun = true; }")
        page = context.new_page()
        for person in people:
            client = Client()
            client.force_login(person)
            session = client.cookies[settings.SESSION_COOKIE_NAME].value
            context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session, "url": live_server.url}])
            for name, one in opened_by(client, rows).items():
                if one.is_page:
                    page.goto(f"{live_server.url}{one.address}")
                    is_read, ran = page.evaluate(READ_AND_RAN)
                    read += is_read
                    if ran:
                        found[f"{name} of {person}"] = one.address
    assert found == {}
    assert (number > 500, read > 60) == (True, True), (number, read)
