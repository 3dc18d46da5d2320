"""Hooks of MkDocs: pages that are built, the menu of analyses, anchors of figures, no inline scripts."""

import json
import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from built_tables import BUILT
from family_table import family_table
from finding_tables import finding_table
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

from evalsite.command_list import COMMANDS

FIRST_CELL = re.compile(r"<tr>\s*<td>.*?</td>", re.DOTALL)
NAME = re.compile(r"<code>([\w-]+)</code>")
ANCHOR = re.compile(r'\sid="([^"]+)"')
FINDING = re.compile(r"\{\{ table (\w+) \}\}")
INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def on_config(config: MkDocsConfig) -> None:
    """Add the pages of the reference that mkdocs.yml does not name to its menu, as those of analyses."""
    files = [file for file in Path(config.docs_dir).glob("reference/*.md") if f"/{file.name}" not in str(config.nav)]
    titles = {file.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# "): file.name for file in files}
    pages = [{title.partition(":")[0]: f"reference/{name}"} for title, name in sorted(titles.items())]
    next(part["Reference"] for part in config.nav or [] if "Reference" in part).append({"Analyses": pages})


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Add the commands, the model families and the other built tables to their pages.

    The web server puts the help of each command at its place (evalsite/command_help.py).
    """
    if page.url.startswith("findings/"):
        return FINDING.sub(lambda place: finding_table(page.url.split("/")[1], place[1]), markdown)
    if page.url in BUILT:
        return markdown.replace("{{ built }}", BUILT[page.url]())
    if page.url == "reference/commands/":
        return markdown + "".join(command_sections())
    if page.url == "reference/model-families/":
        measured = Path(__file__).parent / "reference" / "model_families.json"
        return f"{markdown}\n{family_table(json.loads(measured.read_text(encoding='utf-8')))}"
    return markdown


def command_sections() -> Iterator[str]:
    """Yield the heading of each group, and the heading, summary and place of the help of each command."""
    for group, commands in COMMANDS.items():
        yield f"\n## {group.capitalize()} {{#group-{group.replace(' ', '-')}}}\n"
        for name, summary in commands.items():
            place = f'<pre><code data-command="{name}">evenhand {name} --help</code></pre>'
            yield f"\n### {name}\n\n{summary[0].upper()}{summary[1:]}.\n\n{place}\n"


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Give each name in the first column of a reference table an anchor, for links from the figures of pages."""
    if not page.url.startswith("reference/"):
        return html
    named = set(ANCHOR.findall(html))
    return FIRST_CELL.sub(lambda cell: NAME.sub(lambda name: anchored(name, named), cell[0]), html)


def anchored(name: re.Match[str], named: set[str]) -> str:
    """Return the name with an anchor, if the page has none of that name yet."""
    if name[1] in named:
        return name[0]
    named.add(name[1])
    return f'<code id="{name[1]}">{name[1]}</code>'


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Move every inline script of a page into a file. The policy forbids inline scripts."""
    up = "../" * page.url.count("/")
    return INLINE_SCRIPT.sub(lambda match: script_element(match[1], up, Path(config.site_dir)), output)


def script_element(code: str, up: str, site: Path) -> str:
    """Write the code into a file named by its hash. Return an element that loads it at the same place."""
    name = f"assets/javascripts/{sha256(code.encode()).hexdigest()[:16]}.js"
    file = site / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(code, encoding="utf-8")
    return f'<script src="{up}{name}"></script>'
