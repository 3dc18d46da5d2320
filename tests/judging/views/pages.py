"""Pages as their readers get them."""

import re

from django.test import Client
from django.urls import reverse


def page(client: Client, name: str, *args: object, **query: str) -> str:
    """Return the page's text, after redirects."""
    response = client.get(reverse(name, args=args), query, follow=True)
    assert response.status_code == 200
    return response.content.decode()


def posted_fields(html: str) -> dict[str, str]:
    """Return the hidden fields of the form that votes."""
    form = re.search(r"<form[^>]*annotate/vote/.*?</form>", html, re.DOTALL).group()
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form))
