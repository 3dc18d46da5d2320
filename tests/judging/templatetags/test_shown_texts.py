"""Markdown of texts that annotators see."""

import pytest

from judging.templatetags.shown_texts import as_markdown


def test_markdown_becomes_headings_lists_tables_and_code():
    html = as_markdown("# Steps\n\n3. boil\n4. wait\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```python\nx = 1 < 2\n```")

    assert "<h3>Steps</h3>" in html
    assert '<ol start="3">' in html
    assert "<td>1</td>" in html
    assert "x = 1 &lt; 2" in html


def test_line_breaks_stay():
    assert as_markdown("roses\nviolets") == "<p>roses<br>\nviolets</p>\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ('<b onclick="x()">bold</b>', '&lt;b onclick="x()"&gt;bold&lt;/b&gt;'),
        ("[click](javascript:alert(1))", "[click](javascript:alert(1))"),
        ("![a cat](https://e.org/cat.png)", ">a cat</a>"),
    ],
)
def test_what_is_not_safe_is_shown_and_does_nothing(text, expected):
    html = as_markdown(text)

    assert expected in html
    assert not any(tag in html for tag in ("<script", "<b ", "<img", 'href="javascript'))


def test_links_open_a_new_page():
    html = as_markdown("[source](https://e.org)")

    assert html == '<p><a href="https://e.org" target="_blank" rel="noopener noreferrer">source</a></p>\n'
