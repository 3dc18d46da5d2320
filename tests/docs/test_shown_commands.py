"""Every command that the docs show is one that Evenhand takes; tutorials and how-tos run from top to bottom."""

import pytest
from django.core.management import call_command

from judging.models import Context
from tests.commands import command_named
from tests.docs.shown_commands import DOCS, shown_commands, shown_files
from tests.docs_site import ROOT
from tests.evenhand.engine.endpoint.batch_endpoint import BatchEndpoint
from tests.evenhand.engine.endpoint.misbehaving_server import reply

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]
WALKED = [page for page in PAGES if page.parent.name in ("tutorials", "how-to") and shown_commands(page)]


def name_of(page):
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", [page for page in PAGES if shown_commands(page)], ids=name_of)
def test_shown_commands_have_valid_arguments(page):
    for command in shown_commands(page):
        name, *arguments = command.words

        parser = command_named(name).create_parser("evenhand", name)

        parser.parse_args(arguments)


@pytest.fixture
def endpoint():
    """Answers every question, also in batches, with the letter A."""
    with BatchEndpoint(lambda body: reply("A")) as served:
        yield served


@pytest.mark.slow
@pytest.mark.usefixtures("demo_rows")
@pytest.mark.parametrize("page", WALKED, ids=name_of)
def test_page_runs_from_top_to_bottom(page, tmp_path, monkeypatch, settings, capsys, endpoint):
    monkeypatch.chdir(tmp_path)
    settings.BATCH_POLL_SECONDS = 0
    for name in ("MY_API_KEY", "DEEPSEEK_API_KEY"):
        monkeypatch.setenv(name, "key-of-the-docs")
    for name, text in shown_files(page).items():
        (tmp_path / name).write_text(text, encoding="utf-8")

    commands = [command for command in shown_commands(page) if command.runs]
    asks_endpoint = any("--base-url" in command.words for command in commands)  # each pair is a request
    Context.objects.filter(position__gt=1 if asks_endpoint else 3).delete()  # figures of few contexts take less time
    for command in commands:
        call_command(*command.at(endpoint.url))

    assert capsys.readouterr().out or not commands
