"""The tables of the findings are built from the committed numbers."""

import re

from docs.finding_cells import short, span
from docs.finding_tables import TABLES, finding_table
from tests.docs.shown_commands import DOCS


def test_every_table_stands_on_its_page_once(docs_site):
    named = [
        (page.stem, name)
        for page in sorted((DOCS / "findings").glob("*.md"))
        for name in re.findall(r"^\{\{ table (\w+) \}\}$", page.read_text(encoding="utf-8"), re.MULTILINE)
    ]

    assert named == list(TABLES)
    for page in {page for page, _ in TABLES}:
        built = (docs_site / "findings" / page / "index.html").read_text(encoding="utf-8")
        assert built.count("<table>") == sum(one == page for one, _ in TABLES)
        assert "{{" not in built


def test_cells_are_the_committed_numbers():
    lines = finding_table("family-of-tests", "families").splitlines()

    assert lines[2] == "| 2 | 6 | 9 % | 0.3 % | 0.3 % | 0 % | 0 % |"
    assert "| 0.2 | 100 | 98 to 100 % | 0.50 to 0.75 | 0.10 to 0.19 | 2 to 48 % |" in finding_table(
        "coverage-of-intervals", "corrected"
    )


def test_shares_have_a_decimal_below_ten_percent_and_ranges_are_short():
    assert [short(0), short(0.0451), short(0.17)] == ["0 %", "4.5 %", "17 %"]
    assert span([0.2, 0.1], "{:.1f}".format) == "0.1 to 0.2"
    assert span([0.1, 0.1], "{:.1f}".format) == "0.1"
