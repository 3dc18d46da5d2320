"""Each figure on a page links to its definition in the documentation."""

import re

import pytest

from tests.docs_site import ROOT

LINK = re.compile(r'href="/docs/([^"#]*)#?([^"]*)"')
PAGES = {
    "/datasets/1/results/": {"report/#accuracy", "report/#spearman", "report/#trust-checks"},
    "/datasets/1/agreement/": {"agreement/#order_free_alpha", "agreement/#alternative_annotator_test"},
    "/datasets/1/compare/?one=1&other=3": {"agreement/#differences", "agreement/#perm_both", "agreement/#mcnemar"},
    "/datasets/1/groups/?attribute=coherence": {"agreement/#groups", "agreement/#p_value_benjamini_hochberg"},
    "/runs/1/results/": {"report/#per_context", "report/#kendall_c", "report/#accuracy_with_ties"},
    "/runs/1/scores/": {"report/#rank", "report/#standard_error"},
    "/runs/1/curve/?people=on&draws=5": {"curves/#mean", "curves/#worth-in-votes"},
    "/runs/1/diagnostics/": {"diagnostics/#split_half", "diagnostics/#bins", "diagnostics/#infit"},
}


@pytest.mark.slow
@pytest.mark.usefixtures("demo_rows", "researcher")
def test_figures_link_to_definitions_that_exist(client, docs_site):
    for page, expected in PAGES.items():
        links = {link for link in LINK.findall(client.get(page).content.decode()) if link[0].startswith("reference/")}

        assert expected <= {f"{folder.removeprefix('reference/')}#{anchor}" for folder, anchor in links}, page
        for folder, anchor in links:
            definition = (docs_site / folder / "index.html").read_text()
            assert not anchor or f'id="{anchor}"' in definition, (page, anchor)


WRITTEN = re.compile(
    r"""url 'docs' %}([\w/#-]+)"|definition_link [^%]*?"([\w/]+/#?[\w-]*)" %}|definition="([\w/]+/#?[\w-]*)\""""
)


def test_links_to_the_docs_lead_to_anchors_that_exist(docs_site):
    sources = [*(ROOT / "templates").rglob("*.html"), *(ROOT / "rankings").rglob("*.py")]
    texts = [path.read_text(encoding="utf-8") for path in sources]
    written = [link for text in texts for link in WRITTEN.findall(text)]

    links = {page or f"reference/{column or chart}" for page, column, chart in written}

    assert len(links) > 30
    for folder, _, anchor in (link.partition("#") for link in links - {"reference/"}):
        page = (docs_site / folder / "index.html").read_text(encoding="utf-8")
        assert not anchor or f'id="{anchor}"' in page, f"{folder}#{anchor}"
