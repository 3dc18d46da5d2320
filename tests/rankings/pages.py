"""Read pages as the signed-in person, and hide runs from them."""

import re

from django.urls import reverse

from judging.models import Run
from tests.factories import make_user

LEDE = re.compile(r'<p class="lede">(.*?)</p>', re.DOTALL)


def read(client, name, row, **query):
    """Return the text of the page or download of a dataset or run."""
    answer = client.get(reverse(name, args=[row.pk]), query)
    return (answer.getvalue() if answer.streaming else answer.content).decode()


def headline(page):
    """Return the sentences at the top of a page, as HTML."""
    return LEDE.findall(page)


def hide(run):
    """Give a run to somebody else."""
    Run.objects.filter(pk=run.pk).update(owner=make_user("olaf", "researcher"))
