"""The links to the other pages of a list."""

from django.core.paginator import Paginator
from django.template.loader import render_to_string


def test_pager_separates_the_thousands_of_its_numbers():
    page = Paginator(range(12000), 10).get_page(150)

    assert "<span>1,491–1,500 of 12,000</span>" in render_to_string("_pager.html", {"page_obj": page})
