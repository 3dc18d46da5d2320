"""The documentation at /docs/: served as built, under the policy of all pages, without another host."""

import re

import pytest

from evalsite.command_list import COMMANDS
from tests.docs_site import ROOT

POLICY = "Content-Security-Policy"
INLINE_SCRIPT = re.compile(r"<script(?! id=\"__config\" type=\"application/json\")(?![^>]*\bsrc=)[^>]*>")
LOADED = re.compile(r"""(?:\bsrc=|<link [^>]*href=|url\()["']?((?:https?:)?//[^"')\s>]+)""")


def body(response):
    return b"".join(response.streaming_content).decode()


def test_docs_are_shown_to_visitors_without_an_account(client, docs_site):
    response = client.get("/docs/")

    assert response.status_code == 200
    assert "<h1" in body(response)


def test_docs_page_has_the_policy_of_every_page_and_no_inline_script(client, docs_site):
    sign_in = client.get("/account/sign-in/")

    response = client.get("/docs/reference/report/")

    assert response.headers[POLICY] == sign_in.headers[POLICY]
    assert INLINE_SCRIPT.findall(body(response)) == []


def test_docs_load_nothing_from_another_host(docs_site):
    files = [file for suffix in ("html", "css") for file in docs_site.rglob(f"*.{suffix}")]

    assert {url for file in files for url in LOADED.findall(file.read_text())} == set()


def test_docs_link_to_anchors_that_exist_and_have_each_anchor_once(docs_site):
    pages = {page.parent: page.read_text(encoding="utf-8") for page in docs_site.rglob("index.html")}
    anchors = {folder: re.findall(r'\sid="([^"]+)"', page) for folder, page in pages.items()}

    links = [
        ((folder / address).resolve(), anchor)
        for folder, page in pages.items()
        for address, anchor in re.findall(r'href="((?:\.\.?/)[\w./-]*|)#([\w-]+)"', page)
    ]

    assert len(links) > 1000
    assert [link for link in links if link[1] not in anchors[link[0]]] == []
    assert [(folder, one) for folder, own in anchors.items() for one in own if own.count(one) > 1] == []


def test_docs_have_a_search_index_of_every_page(client, docs_site):
    pages = {page.parent.relative_to(docs_site).as_posix() for page in docs_site.rglob("index.html")}

    index = client.get("/docs/search/search_index.json")

    locations = set(re.findall(r'"location":"([^"#]*?)/?"', body(index)))
    assert locations == {"" if page == "." else page for page in pages}


def test_docs_address_without_its_slash_leads_to_the_page(client, docs_site):
    assert client.get("/docs/reference/report").headers["Location"] == "/docs/reference/report/"


@pytest.mark.parametrize(
    ("path", "status"),
    [("none/", 404), ("reference/report/none", 404), ("../pyproject.toml", 400), ("/etc/passwd", 404)],
)
def test_docs_have_no_other_file(client, docs_site, path, status):
    assert client.get(f"/docs/{path}").status_code == status


def test_docs_that_are_not_built_say_how_to_build_them(client, settings, tmp_path):
    settings.DOCS_DIR = tmp_path / "none"

    response = client.get("/docs/")

    assert response.status_code == 404
    assert "mkdocs build" in response.content.decode()


def test_every_page_of_the_docs_is_in_the_menu_and_pages_of_analyses_are_a_part_of_the_reference(docs_site):
    shown = (docs_site / "glossary" / "index.html").read_text().partition("md-nav--primary")[2]
    menu = re.findall(r'<a href="\.\./([\w/-]*)" class="md-nav__link', shown)
    pages = {page.relative_to(ROOT / "docs").with_suffix("").as_posix() for page in (ROOT / "docs").rglob("*.md")}

    here, start = "glossary", "index"
    readers = {page for page in pages if not page.startswith(("decisions/", "internals/"))} - {here, start}
    assert {place.strip("/") for place in menu if place} == readers
    of_analyses = menu[menu.index("reference/references/") + 1 : menu.index("explanation/runs/")]
    assert {"reference/separation/", "reference/gate/"} < set(of_analyses)
    assert all(place.startswith("reference/") for place in of_analyses)


@pytest.mark.parametrize(
    ("page", "files", "name"),
    [
        ("api", "docs/reference/openapi.json", r'^        "/api/(.*)": \{$'),
        ("endpoints", "evenhand/engine/endpoint/dialects/vllm.toml", r'^budget = "(.*)"$'),
        ("steering", "rankings/steering_patterns/pattern_list.py", r'^        SteeringPattern\(\n            "(.*)",'),
    ],
)
def test_built_table_has_every_entry_of_its_file(docs_site, page, files, name):
    text = (docs_site / "reference" / page / "index.html").read_text(encoding="utf-8")

    entries = re.findall(name, (ROOT / files).read_text(encoding="utf-8"), re.MULTILINE)

    assert entries
    assert [entry for entry in entries if entry not in text] == []


def test_page_of_commands_shows_the_help_of_each(client, docs_site, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")  # as in a terminal

    page = client.get("/docs/reference/commands/").content.decode()

    shown = dict(re.findall(r'<h3 id="(\w+)">.*?<code data-command="\1">(.*?)</code>', page, re.DOTALL))
    assert list(shown) == [name for commands in COMMANDS.values() for name in commands]
    for name, text in shown.items():
        assert text.startswith(f"Usage: evenhand {name} [-h]")
        assert f"examples:\n  evenhand {name}" in text
        assert "\x1b" not in text
    assert "--ranking bradley-terry|win-ratio|" in shown["scores"]
