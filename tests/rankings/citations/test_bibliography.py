"""BibTeX entries and CITATION.cff."""

import re
from pathlib import Path

import pytest
import yaml

from evalsite import __version__
from evenhand.formats import DATASET_FORMATS
from evenhand.numerics import RANKINGS
from evenhand.prompting.methods import METHODS
from rankings.citations.author_year import bibtex_entries, bibtex_of
from rankings.citations.methods_text import METRIC_SOURCES

ROOT = Path(__file__).resolve().parents[3]
TOOLS = {"Evenhand", "Paszke2019", "Wolf2020"}
SOURCES = [
    *(method.source for method in METHODS.values()),
    *(ranking.source for ranking in RANKINGS.values()),
    *(dataset_format.source for dataset_format in DATASET_FORMATS.values()),
    *METRIC_SOURCES.values(),
]


@pytest.mark.parametrize("source", sorted({source for source in SOURCES if source}))
def test_every_source_has_an_entry(source):
    for key in re.findall(r"[A-Z]\w*\d{4}[a-z]?", source):
        assert f"{{{key},\n" in bibtex_of([key])


def test_page_of_the_literature_has_every_entry_with_its_title_and_year(docs_site):
    page = (docs_site / "reference/references/index.html").read_text(encoding="utf-8")
    listed = dict(re.findall(r"<li>\[(\w+)\] (.*?)</li>", page))

    for key, entry in bibtex_entries().items():
        if key not in TOOLS:
            fields = dict(re.findall(r"^  (\w+) = \{(.*)\}", entry, re.MULTILINE))
            title = re.sub(r"[{}]", "", fields["title"])
            assert title.lower() in listed[key].lower()
            assert fields["year"] in listed[key]
    assert "Vulić" in listed["Liu2024"]


def test_bibtex_has_each_entry_once_in_the_order_of_citation():
    bibtex = bibtex_of(["Liu2023", "Evenhand", "Liu2023"])

    assert re.findall(r"^@\w+\{(\w+),", bibtex, re.MULTILINE) == ["Liu2023", "Evenhand"]
    assert f"version = {{{__version__}}}" in bibtex


def test_citation_file_is_valid_and_names_the_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))

    assert {"cff-version", "message", "title", "authors", "version", "license", "type"} <= citation.keys()
    assert (citation["cff-version"], citation["type"]) == ("1.2.0", "software")
    assert citation["authors"] == [{"name": "The Evenhand authors"}]
    assert citation["version"] == __version__
